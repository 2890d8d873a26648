// run executes the cases of package gpucheck on a GPU and prints a line for each: its number, what became of
// it, a hash of the results, and the first words that differ. It knows nothing of divergo. The driver of
// the GPU compiles the PTX, with its optimiser and, where results differ, without.
//
//	run CASES [PROCESSES [SECONDS [DUMP]]]
//
// Each process has a context of its own, so a kernel that faults or hangs ends its process only. DUMP receives
// the results of the cases that differ: number, bytes and data.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Buffer {
  uint32_t size;
  const uint8_t *before, *after;
};

struct Case {
  uint32_t number, grid[3], block[3], shared, launches;
  std::string text;
  std::vector<Buffer> buffers;
};

// Reader reads the numbers and bytes of a file of cases.
struct Reader {
  const uint8_t *at, *end;
  uint32_t number() {
    uint32_t v;
    memcpy(&v, bytes(sizeof v), sizeof v);
    return v;
  }
  const uint8_t *bytes(size_t n) {
    if (size_t(end - at) < n) {
      fprintf(stderr, "the file of cases ends within a case\n");
      exit(2);
    }
    at += n;
    return at - n;
  }
};

Case read(Reader &r) {
  Case c;
  c.number = r.number();
  for (uint32_t &v : c.grid) v = r.number();
  for (uint32_t &v : c.block) v = r.number();
  c.shared = r.number();
  c.launches = r.number();
  uint32_t buffers = r.number(), size = r.number();
  c.text.assign(reinterpret_cast<const char *>(r.bytes(size)), size);
  while (buffers-- > 0) {
    Buffer b;
    b.size = r.number();
    b.before = r.bytes(b.size);
    b.after = r.bytes(b.size);
    c.buffers.push_back(b);
  }
  return c;
}

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// Outcomes of a case. New and Begun are states of one that has none yet.
enum Outcome : uint8_t { New, Begun, Equal, Differs, Unloaded, Fault, Hang, Crash, Outcomes };
const char *const names[] = {"new", "begun", "equal", "differs", "unloaded", "fault", "hang", "crash"};

const double patience = 3;  // seconds that a kernel may take

struct Result {
  Outcome outcome;
  uint64_t hash = 0;
  std::string detail;
  std::vector<uint8_t> data;
};

Result failed(Outcome o, CUresult r, const char *log = "") {
  const char *name = "?";
  cuGetErrorName(r, &name);
  std::string text = std::string(name) + " " + log;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {o, 0, text.substr(0, 300), {}};
}

void compare(const Case &c, Result &result) {
  size_t at = 0;
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t v : result.data) hash = (hash ^ v) * 0x100000001b3;
  result.hash = hash;
  for (size_t i = 0; i < c.buffers.size(); i++) {
    const Buffer &b = c.buffers[i];
    size_t wrong = 0;
    for (size_t k = 0; k < b.size; k += 4) {
      uint32_t got = 0, want = 0;
      size_t n = std::min<size_t>(4, b.size - k);
      memcpy(&got, &result.data[at + k], n);
      memcpy(&want, b.after + k, n);
      if (got != want && wrong++ < 4) {
        char text[80];
        snprintf(text, sizeof text, " %zu+%zu:%08x(%08x)", i, k, got, want);
        result.detail += text;
      }
    }
    if (wrong > 0) {
      result.outcome = Differs;
      result.detail += " " + std::to_string(wrong) + " words of buffer " + std::to_string(i);
    }
    at += b.size;
  }
}

Result run(const Case &c, int optimise) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {reinterpret_cast<void *>(uintptr_t(optimise)), log, reinterpret_cast<void *>(sizeof log)};
  CUmodule module;
  CUfunction kernel;
  CUresult r = cuModuleLoadDataEx(&module, c.text.c_str(), 3, options, values);
  if (r == CUDA_SUCCESS) r = cuModuleGetFunction(&kernel, module, "kernel");
  if (r != CUDA_SUCCESS) return failed(Unloaded, r, log);
  if (c.shared > 48 << 10) cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, c.shared);

  std::vector<CUdeviceptr> memory(c.buffers.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < memory.size(); i++) {
    r = cuMemAlloc(&memory[i], c.buffers[i].size);
    if (r == CUDA_SUCCESS) r = cuMemcpyHtoD(memory[i], c.buffers[i].before, c.buffers[i].size);
    if (r != CUDA_SUCCESS) return failed(Fault, r);
    arguments.push_back(&memory[i]);
  }
  for (uint32_t n = 0; n < c.launches; n++) {
    r = cuLaunchKernel(kernel, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2], c.shared, nullptr,
                       arguments.data(), nullptr);
    if (r != CUDA_SUCCESS) return failed(Unloaded, r);
    double begin = now();
    while ((r = cuStreamQuery(nullptr)) == CUDA_ERROR_NOT_READY) {
      if (now() - begin > patience) return {Hang, 0, "", {}};
      usleep(50);
    }
    if (r != CUDA_SUCCESS) return failed(Fault, r);
  }
  Result result{Equal, 0, "", {}};
  for (size_t i = 0; i < memory.size(); i++) {
    size_t at = result.data.size();
    result.data.resize(at + c.buffers[i].size);
    cuMemcpyDtoH(&result.data[at], memory[i], c.buffers[i].size);
    cuMemFree(memory[i]);
  }
  cuModuleUnload(module);
  compare(c, result);
  return result;
}

// work runs every case of a process that has no outcome yet. It ends the process when the GPU cannot go on.
[[noreturn]] void work(const std::vector<Case> &cases, volatile uint8_t *state, size_t first, size_t step, double until,
                       int dump) {
  CUdevice device;
  CUcontext context;
  CUresult r = cuInit(0);
  if (r == CUDA_SUCCESS) r = cuDeviceGet(&device, 0);
  if (r == CUDA_SUCCESS) r = cuDevicePrimaryCtxRetain(&context, device);
  if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(context);
  if (r != CUDA_SUCCESS) {
    fprintf(stderr, "no GPU: %s\n", failed(Fault, r).detail.c_str());
    _exit(2);
  }
  cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16 << 10);
  for (size_t i = first; i < cases.size() && now() < until; i += step) {
    if (state[i] != New) continue;
    state[i] = Begun;
    Result result = run(cases[i], 4);
    if (result.outcome == Differs) {
      if (dump >= 0) {
        std::vector<uint8_t> record(8);
        uint32_t head[] = {cases[i].number, uint32_t(result.data.size())};
        memcpy(record.data(), head, sizeof head);
        record.insert(record.end(), result.data.begin(), result.data.end());
        if (write(dump, record.data(), record.size()) < 0) perror("dump");
      }
      Result plain = run(cases[i], 0);
      if (plain.hash != result.hash) result.detail += std::string("; not optimised: ") + names[plain.outcome];
    }
    state[i] = result.outcome;
    printf("%u %s %016llx%s\n", cases[i].number, names[result.outcome], (unsigned long long)result.hash,
           result.detail.c_str());
    fflush(stdout);
    if (result.outcome >= Fault) _exit(1);
  }
  _exit(0);
}

}  // namespace

int main(int argc, char **argv) {
  int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    fprintf(stderr, "usage: run CASES [PROCESSES [SECONDS [DUMP]]]\n");
    return 2;
  }
  size_t processes = argc > 2 ? atoi(argv[2]) : 8;
  double until = now() + (argc > 3 ? atof(argv[3]) : 1e9);
  int dump = argc > 4 ? open(argv[4], O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0644) : -1;

  auto data = static_cast<const uint8_t *>(mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0));
  Reader reader{data, data + status.st_size};
  std::vector<Case> cases;
  while (reader.at < reader.end) cases.push_back(read(reader));
  auto state = static_cast<volatile uint8_t *>(
      mmap(nullptr, cases.size() + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

  std::vector<pid_t> workers(processes);
  auto start = [&](size_t w) {
    fflush(stdout);
    workers[w] = fork();
    if (workers[w] == 0) work(cases, state, w, processes, until, dump);
  };
  for (size_t w = 0; w < processes; w++) start(w);
  for (size_t live = processes; live > 0;) {
    int how;
    pid_t ended = wait(&how);
    size_t w = std::find(workers.begin(), workers.end(), ended) - workers.begin();
    bool again = WIFEXITED(how) && WEXITSTATUS(how) == 1;
    for (size_t i = w; i < cases.size(); i += processes)
      if (state[i] == Begun) {
        state[i] = Crash;
        printf("%u crash %d\n", cases[i].number, how);
        again = true;
      }
    if (again)
      start(w);
    else
      live--;
  }
  size_t count[Outcomes] = {};
  for (size_t i = 0; i < cases.size(); i++) count[state[i]]++;
  for (int o = 0; o < Outcomes; o++)
    if (count[o] > 0) fprintf(stderr, "%s %zu\n", names[o], count[o]);
  return count[Equal] == cases.size() ? 0 : 1;
}
