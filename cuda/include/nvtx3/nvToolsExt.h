// Marks and ranges for a profiler (NVTX C API Reference). None is attached: they do nothing, and return what they do then.
#ifndef NVTX_VERSION
#define NVTX_VERSION 3
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED } nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
    NVTX_PAYLOAD_TYPE_INT64,
    NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
    NVTX_PAYLOAD_TYPE_INT32,
    NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER,
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX
} nvtxResourceGenericType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version, size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_t;

#define DIVERGO_NVTX(TYPE, NAME, PARAMETERS, VALUE) \
    static inline TYPE NAME PARAMETERS { return VALUE; }
// A function of text and its variant for wide characters.
#define DIVERGO_NVTX_TEXT(TYPE, NAME, BEFORE, VALUE)                         \
    DIVERGO_NVTX(TYPE, NAME##A, (BEFORE const char *text), ((void)text, VALUE)) \
    DIVERGO_NVTX(TYPE, NAME##W, (BEFORE const wchar_t *text), ((void)text, VALUE))
#define DIVERGO_COMMA ,
DIVERGO_NVTX(void, nvtxInitialize, (const void *reserved), (void)reserved)
DIVERGO_NVTX_TEXT(void, nvtxMark, , (void)0)
DIVERGO_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *a), (void)a)
DIVERGO_NVTX(void, nvtxDomainMarkEx, (nvtxDomainHandle_t d, const nvtxEventAttributes_t *a), ((void)d, (void)a))
DIVERGO_NVTX_TEXT(nvtxRangeId_t, nvtxRangeStart, , 0)
DIVERGO_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *a), ((void)a, 0))
DIVERGO_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t d, const nvtxEventAttributes_t *a), ((void)d, (void)a, 0))
DIVERGO_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t id), (void)id)
DIVERGO_NVTX(void, nvtxDomainRangeEnd, (nvtxDomainHandle_t d, nvtxRangeId_t id), ((void)d, (void)id))
DIVERGO_NVTX_TEXT(int, nvtxRangePush, , NVTX_NO_PUSH_POP_TRACKING)
DIVERGO_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *a), ((void)a, NVTX_NO_PUSH_POP_TRACKING))
DIVERGO_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t d, const nvtxEventAttributes_t *a), ((void)d, (void)a, NVTX_NO_PUSH_POP_TRACKING))
DIVERGO_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
DIVERGO_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t d), ((void)d, NVTX_NO_PUSH_POP_TRACKING))
DIVERGO_NVTX_TEXT(nvtxDomainHandle_t, nvtxDomainCreate, , (nvtxDomainHandle_t)NULL)
DIVERGO_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t d), (void)d)
DIVERGO_NVTX_TEXT(nvtxStringHandle_t, nvtxDomainRegisterString, nvtxDomainHandle_t d DIVERGO_COMMA, ((void)d, (nvtxStringHandle_t)NULL))
DIVERGO_NVTX_TEXT(void, nvtxNameCategory, uint32_t category DIVERGO_COMMA, (void)category)
DIVERGO_NVTX_TEXT(void, nvtxDomainNameCategory, nvtxDomainHandle_t d DIVERGO_COMMA uint32_t category DIVERGO_COMMA, ((void)d, (void)category))
DIVERGO_NVTX_TEXT(void, nvtxNameOsThread, uint32_t thread DIVERGO_COMMA, (void)thread)
DIVERGO_NVTX(nvtxResourceHandle_t, nvtxDomainResourceCreate, (nvtxDomainHandle_t d, nvtxResourceAttributes_t *a), ((void)d, (void)a, (nvtxResourceHandle_t)NULL))
DIVERGO_NVTX(void, nvtxDomainResourceDestroy, (nvtxResourceHandle_t r), (void)r)

#ifdef UNICODE
#define DIVERGO_NVTX_NAME(NAME) NAME##W
#else
#define DIVERGO_NVTX_NAME(NAME) NAME##A
#endif
#define nvtxMark DIVERGO_NVTX_NAME(nvtxMark)
#define nvtxRangeStart DIVERGO_NVTX_NAME(nvtxRangeStart)
#define nvtxRangePush DIVERGO_NVTX_NAME(nvtxRangePush)
#define nvtxDomainCreate DIVERGO_NVTX_NAME(nvtxDomainCreate)
#define nvtxDomainRegisterString DIVERGO_NVTX_NAME(nvtxDomainRegisterString)
#define nvtxNameCategory DIVERGO_NVTX_NAME(nvtxNameCategory)
#define nvtxDomainNameCategory DIVERGO_NVTX_NAME(nvtxDomainNameCategory)
#define nvtxNameOsThread DIVERGO_NVTX_NAME(nvtxNameOsThread)
#endif
