// NVRTC by way of "divergo cuda nvcc": source, headers and what comes of them are files in a folder that is gone afterwards.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc.h"
#include "runtime.h"

struct _nvrtcProgram {
    char *source, *name;
    int headers;
    char **texts, **names;
    char *ptx, *log;
    int expressions, compiled;
    struct { char *expression, *lowered; } *expression;
};

static const char *const errors[] = {
    "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM",
    "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR",
};

const char *nvrtcGetErrorString(nvrtcResult result) { return (size_t)result < sizeof errors / sizeof *errors ? errors[result] : "NVRTC_ERROR unknown"; }

nvrtcResult nvrtcVersion(int *major, int *minor) {
    if (major == NULL || minor == NULL) return NVRTC_ERROR_INVALID_INPUT;
    return *major = CUDART_VERSION / 1000, *minor = CUDART_VERSION % 1000 / 10, NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
nvrtcResult nvrtcGetNumSupportedArchs(int *count) { return count != NULL ? (*count = sizeof archs / sizeof *archs, NVRTC_SUCCESS) : NVRTC_ERROR_INVALID_INPUT; }
nvrtcResult nvrtcGetSupportedArchs(int *to) { return to != NULL ? (memcpy(to, archs, sizeof archs), NVRTC_SUCCESS) : NVRTC_ERROR_INVALID_INPUT; }

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
    if (program == NULL || *program == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    nvrtcProgram p = *program;
    for (int i = 0; i < p->headers; i++) free(p->texts[i]), free(p->names[i]);
    for (int i = 0; i < p->expressions; i++) free(p->expression[i].expression), free(p->expression[i].lowered);
    free(p->expression), free(p->texts), free(p->names), free(p->source), free(p->name), free(p->ptx), free(p->log), free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers, const char *const *texts, const char *const *names) {
    if (program == NULL || source == NULL || headers < 0 || (headers > 0 && (texts == NULL || names == NULL))) return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (p == NULL) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source), p->name = strdup(name != NULL ? name : "default_program");
    p->texts = calloc((size_t)headers + 1, sizeof *p->texts), p->names = calloc((size_t)headers + 1, sizeof *p->names);
    for (p->headers = 0; p->headers < headers; p->headers++) p->texts[p->headers] = strdup(texts[p->headers]), p->names[p->headers] = strdup(names[p->headers]);
    return *program = p, NVRTC_SUCCESS;
}

// write_file writes a file of a folder, and the folders of its name, which goes nowhere else.
static int write_file(int folder, const char *name, const char *text) {
    if (*name == 0 || *name == '/' || strstr(name, "..") != NULL) return 0;
    char *path = strdup(name);
    for (char *at = path; path != NULL && (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = 0;
        mkdirat(folder, path, 0700);
    }
    int f = path != NULL ? openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    free(path);
    if (f < 0) return 0;
    size_t left = strlen(text);
    for (ssize_t n; left > 0 && (n = write(f, text, left)) > 0; text += n) left -= (size_t)n;
    return close(f) == 0 && left == 0;
}

// remove_file removes a file and the folders of its name that are empty then.
static void remove_file(int folder, const char *name) {
    char *path = strdup(name);
    unlinkat(folder, name, 0);
    for (char *at; path != NULL && (at = strrchr(path, '/')) != NULL;) {
        *at = 0;
        unlinkat(folder, path, AT_REMOVEDIR);
    }
    free(path);
}

static char *read_file(int folder, const char *name) {
    int f = openat(folder, name, O_RDONLY);
    off_t size = f < 0 ? -1 : lseek(f, 0, SEEK_END);
    char *text = calloc(1, size > 0 ? (size_t)size + 1 : 1);
    if (text != NULL && size > 0 && pread(f, text, (size_t)size, 0) != size) *text = 0;
    if (f >= 0) close(f);
    return text;
}

// The names of what expressions mean are those of constants that are added to the source, and taken out of the PTX again.
static const char constant[] = "divergo_name_";

static char *with_expressions(nvrtcProgram p) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL) return NULL;
    fputs(p->source, f);
    for (int i = 0; i < p->expressions; i++) fprintf(f, "\nextern \"C\" __device__ const void *const %s%d = (const void *)(%s);", constant, i, p->expression[i].expression);
    fputc('\n', f);
    return fclose(f) == 0 ? text : NULL;
}

// A line is ".visible .const .align 8 .u64 divergo_name_0 = name;", or "generic(name)" for a variable.
static void take_names(nvrtcProgram p) {
    for (char *at; p->ptx != NULL && (at = strstr(p->ptx, constant)) != NULL;) {
        char *line = at, *end = strchr(at, '\n'), *name;
        while (line > p->ptx && line[-1] != '\n') line--;
        if (end == NULL) end = at + strlen(at);
        const long i = strtol(at + strlen(constant), &name, 10);
        name += strspn(name, " =");
        if (strncmp(name, "generic(", 8) == 0) name += 8;
        if (i >= 0 && i < p->expressions) {
            free(p->expression[i].lowered);
            p->expression[i].lowered = strndup(name, strcspn(name, ");\n"));
        }
        memmove(line, end, strlen(end) + 1);
    }
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options) {
    if (p == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    const char *temporary = getenv("TMPDIR");
    char folder[1024];
    const int length = snprintf(folder, sizeof folder, "%s/divergo-nvrtc-XXXXXX", temporary != NULL && *temporary ? temporary : "/tmp");
    if (length >= (int)sizeof folder || mkdtemp(folder) == NULL) return NVRTC_ERROR_INTERNAL_ERROR;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *slash = strrchr(p->name, '/'), *name = slash != NULL ? slash + 1 : p->name;
    char *source_text = with_expressions(p);
    int written = at >= 0 && source_text != NULL && write_file(at, name, source_text);
    free(source_text);
    for (int i = 0; i < p->headers && written; i++) written = write_file(at, p->names[i], p->texts[i]);
    pid_t compiler = written ? fork() : -1;
    if (compiler == 0) {
        // Headers are looked for beside the source, too, where the program has it from a file.
        char source[sizeof folder + 256], ptx[sizeof folder + 16], include[sizeof folder + 8], beside[sizeof folder + 256];
        snprintf(beside, sizeof beside, "-I%.*s", slash != NULL ? (int)(slash - p->name) : 1, slash != NULL ? p->name : ".");
        snprintf(source, sizeof source, "%s/%s", folder, name);
        snprintf(ptx, sizeof ptx, "%s/.ptx", folder);
        snprintf(include, sizeof include, "-I%s", folder);
        const char **args = calloc((size_t)count + 16, sizeof *args);
        const char *const begin[] = {"divergo", "cuda", "nvcc", "-ptx", "-x", "cu", source, "-o", ptx, include, beside, "-D__CUDACC_RTC__"};
        memcpy(args, begin, sizeof begin);
        for (int i = 0; i < count; i++) args[sizeof begin / sizeof *begin + (size_t)i] = options[i];
        int log = openat(at, ".log", O_WRONLY | O_CREAT, 0600);
        dup2(log, 1), dup2(log, 2);
        const char *own = getenv("DIVERGO");
        if (own != NULL) {
            execvp(own, (char *const *)args);
        } else {
            execvp("divergo", (char *const *)args);
            execv(DIVERGO_PATH, (char *const *)args);
        }
        fprintf(stderr, "%s: %s: DIVERGO names the simulator, if it is not in PATH\n", own != NULL ? own : "divergo", strerror(errno));
        _exit(127);
    }
    int status = -1;
    if (compiler > 0) waitpid(compiler, &status, 0);
    free(p->log), free(p->ptx);
    p->log = read_file(at, ".log"), p->ptx = read_file(at, ".ptx");
    for (int i = 0; i < p->headers; i++) remove_file(at, p->names[i]);
    remove_file(at, name), remove_file(at, ".ptx"), remove_file(at, ".log");
    if (at >= 0) close(at);
    rmdir(folder);
    if (!written || p->log == NULL || p->ptx == NULL) return NVRTC_ERROR_INTERNAL_ERROR;
    take_names(p);
    p->compiled = status == 0;
    if (status == 0) return NVRTC_SUCCESS;
    return strstr(p->log, "nvcc: unknown option") != NULL ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
}

static nvrtcResult size_of(nvrtcProgram p, const char *text, size_t *bytes) {
    if (p == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    if (bytes == NULL) return NVRTC_ERROR_INVALID_INPUT;
    return *bytes = text != NULL ? strlen(text) + 1 : 1, NVRTC_SUCCESS;
}
static nvrtcResult text_of(nvrtcProgram p, const char *text, char *to) {
    if (p == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    if (to == NULL) return NVRTC_ERROR_INVALID_INPUT;
    return strcpy(to, text != NULL ? text : ""), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes) { return size_of(p, p != NULL ? p->ptx : NULL, bytes); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return text_of(p, p != NULL ? p->ptx : NULL, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) { return nvrtcGetPTXSize(p, bytes); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *ptx) { return nvrtcGetPTX(p, ptx); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes) { return size_of(p, p != NULL ? p->log : NULL, bytes); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return text_of(p, p != NULL ? p->log : NULL, log); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression) {
    if (p == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    if (expression == NULL) return NVRTC_ERROR_INVALID_INPUT;
    if (p->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    void *more = realloc(p->expression, (size_t)(p->expressions + 1) * sizeof *p->expression);
    if (more == NULL) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->expression = more;
    p->expression[p->expressions].expression = strdup(expression), p->expression[p->expressions++].lowered = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name) {
    if (p == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    if (expression == NULL || name == NULL) return NVRTC_ERROR_INVALID_INPUT;
    if (!p->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < p->expressions; i++)
        if (strcmp(p->expression[i].expression, expression) == 0 && p->expression[i].lowered != NULL) return *name = p->expression[i].lowered, NVRTC_SUCCESS;
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
