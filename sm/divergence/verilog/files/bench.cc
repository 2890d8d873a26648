// The bench around a verilated unit: what divergo calls. A failure of the unit is an exception, which
// each call turns into a text.
#include "Vdivergo.h"
#include "Vdivergo__Syms.h"
#include "Vdivergo___024root.h"
#include "ports.h"
#include "registers.h"
#include "verilated_save.h"
#include "verilated_syms.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#ifndef STAMP
#define STAMP ""
#endif
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const char divergo_stamp[] = STAMP;

namespace {

struct Failure { std::string text; };

thread_local std::string line;    // printed so far, without a newline
thread_local std::string message; // the last line that names an error

template <class T, class U> void take(T &to, const U &from) { to = from; }
template <class T, size_t N, class U> void take(T (&to)[N], const U &from) { to[0] = from; }
template <class T, size_t N, size_t W> void take(T (&to)[N], const VlWide<W> &from) {
  static_assert(sizeof(to) >= W * 4, "an output of several words has another width");
  memcpy(to, from.data(), W * 4);
}

template <class T, class U> void give(T &to, const U &from) { to = from; }
template <size_t W, class U, size_t N> void give(VlWide<W> &to, const U (&from)[N]) {
  static_assert(sizeof(from) == W * 4, "an input of several words has another width");
  memcpy(to.data(), from, W * 4);
}

struct Signal { std::string path; int width, count, at, size; void *value; };

struct Unit {
  VerilatedContext context;
  std::unique_ptr<Vdivergo> model;
  std::vector<Signal> signals;
  int sample = 0;
  std::string error;

  // Zeros, so that gaps between the members of the context, which are saved with it, are equal in all
  // units.
  static void *operator new(size_t n) { return calloc(1, n); }
  static void operator delete(void *p) { free(p); }

  Unit() {
    Verilated::threadContextp(&context);
    context.randReset(2); // registers without a reset begin with noise, always the same
    context.randSeed(1);
    model.reset(new Vdivergo(&context, "divergo_top"));
    Inputs in{};
    in.Reset = 1;
    for (int i = 0; i < 2; i++) edge(&in);
    list();
  }
  void edge(const Inputs *in) {
    DRIVE(model.get(), in)
    model->clk = 1;
    model->eval();
    model->clk = 0;
    model->eval();
    context.timeInc(1);
  }
  // list finds the signals of the unit: numbers up to 64 bits, arrays of as many of them as there are slots,
  // and wider vectors as arrays of words, or of what a port has for each slot.
  void list() {
    for (const auto &scope : *Verilated::scopeNameMap()) {
      std::string at = scope.first;
      if (at.rfind("divergo_top.divergo_top.unit", 0) != 0 && at.rfind("divergo_top.unit", 0) != 0) continue;
      at = at.substr(at.find("unit"));
      if (at.find("unnamedblk") != std::string::npos) continue;
      if (!scope.second->varsp()) continue;
      for (auto &v : *scope.second->varsp()) {
        VerilatedVar &x = v.second;
        int size = x.vltype() == VLVT_UINT8 ? 1 : x.vltype() == VLVT_UINT16 ? 2 : x.vltype() == VLVT_UINT32 ? 4
                 : x.vltype() == VLVT_UINT64 ? 8 : 0;
        int width = x.packed().elements(), count = x.udims() > 0 ? x.unpacked().elements() : 0;
        if (x.vltype() == VLVT_WDATA && count == 0) {
          size = 4;
          for (const auto &p : PER_SLOT)
            if (p.name == std::string(v.first)) size = p.size;
          count = (width + 8 * size - 1) / (8 * size);
          width = 8 * size;
        }
        if (size && width > 8 * size) { // an array of bits, which Verilator lists as a vector
          count = width;
          width = 1;
        }
        if (!size || x.udims() > 1 || count > SLOTS || x.isParam()) continue;
        sample = (sample + size - 1) / size * size;
        signals.push_back({at + "." + v.first, width, count, sample, size, x.datap()});
        sample += size * (count ? count : 1);
      }
    }
  }
};

struct Saver : VerilatedSerialize {
  uint8_t *to;
  size_t n = 0, room;
  Saver(uint8_t *to, size_t room) : to(to), room(room) { m_isOpen = true; header(); }
  ~Saver() override { close(); }
  void flush() override {
    size_t k = m_cp - m_bufp;
    if (n + k <= room) memcpy(to + n, m_bufp, k);
    n += k;
    m_cp = m_bufp;
  }
  void close() override {
    if (!m_isOpen) return;
    trailer();
    flush();
    m_isOpen = false;
  }
};

struct Loader : VerilatedDeserialize {
  const uint8_t *from;
  size_t left;
  Loader(const uint8_t *from, size_t n) : from(from), left(n) {
    m_isOpen = true;
    m_endp = m_cp = m_bufp;
    header();
  }
  ~Loader() override { m_isOpen = false; }
  void fill() override {
    size_t kept = m_endp - m_cp;
    memmove(m_bufp, m_cp, kept);
    m_cp = m_bufp;
    m_endp = m_bufp + kept;
    size_t n = std::min(left, size_t(m_bufp + bufferSize() - m_endp));
    memcpy(m_endp, from, n);
    m_endp += n;
    from += n;
    left -= n;
  }
  void close() override { m_isOpen = false; }
  void flush() override {}
};

// guarded runs f, and returns 0, or 1 if the unit has failed.
template <class F> int guarded(Unit *u, F f) {
  line.clear();
  message.clear();
  Verilated::threadContextp(&u->context);
  try {
    f();
  } catch (const Failure &e) {
    u->error = e.text;
    return 1;
  } catch (const std::exception &e) {
    u->error = e.what();
    return 1;
  }
  return 0;
}

// fail ends a call: file:line, and what an assertion said, or else the call that ended the simulation.
[[noreturn]] void fail(const char *call, const char *file, int number, const char *said) {
  std::string why = said && *said ? said : call, head = "Assertion failed in ";
  size_t at = message.find(head);
  if (at != std::string::npos && (at = message.find(": ", at)) != std::string::npos && at + 2 < message.size())
    why = message.substr(at + 2);
  throw Failure{std::string(file ? file : "") + ":" + std::to_string(number) + ": " + why};
}

} // namespace

// divergo_printf is what $display and the messages of assertions call. They go to standard error.
int divergo_printf(const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (const char *p = text; *p; p++) {
    if (*p != '\n') {
      line += *p;
      continue;
    }
    if (line.find("%Error") != std::string::npos || line.find("%Fatal") != std::string::npos)
      message = line; // part of the report that ends the run
    else
      fprintf(stderr, "%s\n", line.c_str());
    line.clear();
  }
  return n;
}

double sc_time_stamp() { return 0; }
void vl_finish(const char *file, int number, const char *) { fail("$finish", file, number, nullptr); }
void vl_stop(const char *file, int number, const char *) { fail("$stop or $fatal", file, number, nullptr); }
void vl_fatal(const char *file, int number, const char *, const char *said) { fail("fatal", file, number, said); }

EXPORT Unit *divergo_new() { return new Unit; }
EXPORT void divergo_free(Unit *u) {
  Verilated::threadContextp(&u->context);
  delete u;
}

// divergo_clock is a clock edge.
EXPORT int divergo_clock(Unit *u, const Inputs *in, Outputs *out) {
  return guarded(u, [&] {
    u->edge(in);
    SAMPLE(u->model.get(), out)
  });
}

// divergo_debug reads up to most groups of a warp, and sets *n to their number.
EXPORT int divergo_debug(Unit *u, uint64_t warp, Entry *to, uint64_t most, uint64_t *n) {
  return guarded(u, [&] {
    auto *m = u->model.get();
    // The answers leave intermediate values behind. The state must not depend on questions.
    auto *all = m->rootp->vlSymsp;
    std::vector<uint8_t> before(sizeof *all);
    memcpy(before.data(), static_cast<void *>(all), before.size());
    m->debug_warp = warp;
    for (*n = 0; *n < most; ++*n) {
      m->debug_index = *n;
      m->eval();
      if (!m->debug_valid) break;
      Entry *e = &to[*n];
      ANSWER(m, e)
    }
    memcpy(static_cast<void *>(all), before.data(), before.size());
  });
}

EXPORT uint64_t divergo_save(Unit *u, uint8_t *to, uint64_t room) {
  Saver s(to, room);
  s << *u->model;
  s.close();
  return s.n;
}

EXPORT void divergo_load(Unit *u, const uint8_t *from, uint64_t n) {
  Loader l(from, n);
  l >> *u->model;
}

EXPORT void divergo_sample(Unit *u, uint8_t *to) {
  for (const auto &s : u->signals) memcpy(to + s.at, s.value, size_t(s.size) * (s.count ? s.count : 1));
}

static uint64_t copied(const std::string &text, char *to, uint64_t room) {
  if (text.size() < room) memcpy(to, text.c_str(), text.size() + 1);
  return text.size();
}

// divergo_signals describes the signals, one a line: path, width, count, place, bytes; and after the
// word register a path, its entries and their bits.
EXPORT uint64_t divergo_signals(Unit *u, char *to, uint64_t room) {
  std::string text = REGISTERS;
  for (const auto &s : u->signals)
    text += s.path + " " + std::to_string(s.width) + " " + std::to_string(s.count) + " " + std::to_string(s.at) + " " +
            std::to_string(s.size) + "\n";
  return copied(text, to, room);
}

EXPORT uint64_t divergo_error(Unit *u, char *to, uint64_t room) { return copied(u->error, to, room); }

#ifdef CHILD
// The unit as a process: requests on descriptor 3, answers on descriptor 4. Standard output is that of
// standard error, so that nothing that the unit prints gets into the answers.
#include <unistd.h>

static bool get(void *to, size_t n) {
  for (char *p = static_cast<char *>(to); n;) {
    ssize_t k = read(3, p, n);
    if (k <= 0) return false;
    p += k;
    n -= k;
  }
  return true;
}

static void put(const void *from, size_t n) {
  for (const char *p = static_cast<const char *>(from); n;) {
    ssize_t k = write(4, p, n);
    if (k <= 0) _exit(1); // the parent has gone
    p += k;
    n -= k;
  }
}

static void bytes(const void *from, uint64_t n) {
  put(&n, sizeof n);
  put(from, n);
}

// answer begins an answer: 0, or 1 and the error.
static bool answer(Unit *u, int failed) {
  uint8_t f = failed;
  put(&f, 1);
  if (failed) bytes(u->error.data(), u->error.size());
  return !failed;
}

int main() {
  dup2(2, 1);
  std::unique_ptr<Unit> u(new Unit);
  std::vector<uint8_t> buffer(1 << 20);
  static Entry entries[1024];
  Inputs in;
  Outputs out{};
  for (uint8_t what; get(&what, 1);) {
    uint64_t n = 0, most = 0, warp = 0;
    switch (what) {
    case 'c':
      if (!get(&in, sizeof in)) return 1;
      if (answer(u.get(), divergo_clock(u.get(), &in, &out))) put(&out, sizeof out);
      break;
    case 'd':
      if (!get(&warp, 8) || !get(&most, 8) || most > 1024) return 1;
      if (answer(u.get(), divergo_debug(u.get(), warp, entries, most, &n))) bytes(entries, n * sizeof(Entry));
      break;
    case 's':
      n = divergo_save(u.get(), buffer.data(), buffer.size());
      if (n > buffer.size()) {
        buffer.resize(n);
        divergo_save(u.get(), buffer.data(), n);
      }
      answer(u.get(), 0);
      bytes(buffer.data(), n);
      break;
    case 'l':
      if (!get(&n, 8)) return 1;
      if (buffer.size() < n) buffer.resize(n);
      if (!get(buffer.data(), n)) return 1;
      divergo_load(u.get(), buffer.data(), n);
      answer(u.get(), 0);
      break;
    case 'v':
      buffer.resize(std::max(buffer.size(), size_t(u->sample)));
      divergo_sample(u.get(), buffer.data());
      answer(u.get(), 0);
      bytes(buffer.data(), u->sample);
      break;
    case 'i':
      buffer.resize(1 << 20);
      n = divergo_signals(u.get(), reinterpret_cast<char *>(buffer.data()), buffer.size());
      answer(u.get(), 0);
      bytes(buffer.data(), n);
      break;
    default:
      return 1;
    }
  }
}
#endif
