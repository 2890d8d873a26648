package memsys

import (
	"errors"
	"fmt"

	"divergo/memsys/dram"
	"divergo/rtl"
)

// Network is the interconnect: one crossbar for each direction.
type Network struct {
	Requests  *RequestNetwork
	Responses *ResponseNetwork
}

// Memory is the memory system of a machine. Its user makes the ports: the memory sides of the SMs
// with NewUnit, and others with Port. The user also puts each unit into an island, together with
// the hardware that drives it. Add then makes islands of all other blocks:
//
//	SM: Unit --\                 /-- Slice -- Channel --\
//	SM: Unit ---> Network, twice --- Slice -- Channel ----> Store
//	Port -------/                \-- Slice -- Channel --/
type Memory struct {
	Units    []*Unit // memory side of each SM
	Net      *Network
	Slices   []*Slice
	Channels []*dram.Channel
	Store    *dram.Store // device memory, which the host uses between runs

	// OnWrite receives what the host writes.
	OnWrite rtl.Observers[HostWrite]

	cfg       *Config
	requests  []rtl.In[Request] // of the network, by port
	responses []rtl.Out[Response]
}

// HostWrite is data that the host writes to device memory.
type HostWrite struct {
	Addr uint64
	Data []byte
}

// NewMemory makes a memory system without ports. The configuration must have passed Check and must
// not change.
func NewMemory(cfg *Config) *Memory { return &Memory{cfg: cfg, Store: dram.NewStore()} }

// Write writes data of the host to device memory, between runs. A cache that keeps lines from one
// run to the next drops the written lines.
func (s *Memory) Write(addr uint64, data []byte) error {
	if s.cfg.L2.Keep {
		for _, slice := range s.Slices {
			slice.forget(addr, uint64(len(data)))
		}
	}
	s.OnWrite.Notify(HostWrite{addr, data})
	return s.Store.Write(addr, data)
}

// NewUnit makes the memory side of the next SM, at the next port. SMs must come before other ports:
// the number of an SM is that of its port.
func (s *Memory) NewUnit(access rtl.In[Access], reply rtl.Out[Reply]) *Unit {
	port := len(s.requests)
	req, rsp := s.port(s.cfg.L1.MissQueue)
	s.Units = append(s.Units, NewUnit(s.cfg, port, access, reply, req, rsp))
	return s.Units[port]
}

// Port makes a port of the interconnect without an L1, for the block that flushes the L2. Its
// requests name the port as their source.
func (s *Memory) Port() (port uint16, req rtl.Out[Request], rsp rtl.In[Response]) {
	port = uint16(len(s.requests))
	req, rsp = s.port(s.cfg.Icnt.Queue)
	return port, req, rsp
}

func (s *Memory) port(depth int) (rtl.Out[Request], rtl.In[Response]) {
	wire := uint64(s.cfg.Icnt.Latency)
	req, rsp := rtl.NewLink[Request](depth, wire), rtl.NewLink[Response](s.cfg.Icnt.Queue, wire)
	s.requests, s.responses = append(s.requests, req.In()), append(s.responses, rsp.Out())
	return req.Out(), rsp.In()
}

// Add makes the slices, the channels and the interconnect. It adds an island for each slice, each
// channel and the interconnect, in its clock domain. Call it after all ports have been made.
func (s *Memory) Add(to *rtl.System, icnt, mem *rtl.Domain) error {
	var errs []error
	add := func(name string, d *rtl.Domain, root any) {
		_, err := to.Add(name, d, root)
		errs = append(errs, err)
	}
	cfg := s.cfg
	// A link whose latency exceeds the depth of a queue has room for a round trip, so that credits
	// do not limit its throughput.
	near, far := uint64(cfg.L2.Latency), uint64(cfg.DRAM.Latency)
	var requests []rtl.Out[Request]
	var responses []rtl.In[Response]
	for i := range cfg.DRAM.Channels {
		req, rsp := rtl.NewLink[Request](cfg.Icnt.Queue,
			uint64(cfg.Icnt.Latency)), rtl.NewLink[Response](cfg.Icnt.Queue+2*cfg.L2.Latency, near)
		fetch, fill := rtl.NewLink[dram.Request](2*cfg.DRAM.Latency,
			far), rtl.NewLink[dram.Response](2*cfg.DRAM.Latency, far)
		requests, responses = append(requests, req.Out()), append(responses, rsp.In())
		slice := newSlice(cfg, req.In(), rsp.Out(), fetch.Out(), fill.In())
		channel := dram.NewChannel(&cfg.DRAM, cfg.L2.Line, s.Store, fetch.In(), fill.Out())
		s.Slices, s.Channels = append(s.Slices, slice), append(s.Channels, channel)
		add(fmt.Sprintf("l2[%d]", i), icnt, slice)
		add(fmt.Sprintf("dram[%d]", i), mem, channel)
	}
	s.Net = &Network{
		NewRequestNetwork(&cfg.Icnt, s.requests, requests),
		newResponseNetwork(&cfg.Icnt, responses, s.responses),
	}
	add("icnt", icnt, s.Net)
	return errors.Join(errs...)
}
