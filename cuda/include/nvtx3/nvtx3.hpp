// Marks and ranges for a profiler in C++ (NVTX C++ API Reference): they do nothing.
#ifndef DIVERGO_NVTX3_HPP
#define DIVERGO_NVTX3_HPP
#include <cstdint>
#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct domain {
    struct global {};
    template <class D = global> static domain const &get() noexcept {
        static const domain d{};
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept { return nullptr; }
};
struct rgb {
    std::uint8_t red, green, blue;
    constexpr rgb(std::uint8_t r, std::uint8_t g, std::uint8_t b) noexcept : red(r), green(g), blue(b) {}
};
struct argb : rgb {
    std::uint8_t alpha;
    constexpr argb(std::uint8_t a, std::uint8_t r, std::uint8_t g, std::uint8_t b) noexcept : rgb(r, g, b), alpha(a) {}
};
struct color {
    template <class C> constexpr explicit color(C const &) noexcept {}
};
struct category {
    constexpr explicit category(std::uint32_t) noexcept {}
};
template <class D = domain::global> struct named_category_in : category {
    named_category_in(std::uint32_t id, char const *) noexcept : category(id) {}
    named_category_in(std::uint32_t id, wchar_t const *) noexcept : category(id) {}
    template <class C> static named_category_in const &get() noexcept {
        static const named_category_in c(C::id, C::name);
        return c;
    }
};
using named_category = named_category_in<>;
template <class D = domain::global> struct registered_string_in {
    template <class T> explicit registered_string_in(T const &) noexcept {}
    template <class M> static registered_string_in const &get() noexcept {
        static const registered_string_in s(M::message);
        return s;
    }
};
using registered_string = registered_string_in<>;
struct message {
    template <class T> message(T const &) noexcept {}
};
struct payload {
    template <class T> constexpr explicit payload(T) noexcept {}
};
struct event_attributes {
    template <class... A> explicit event_attributes(A const &...) noexcept {}
};
struct range_handle {
    using value_type = nvtxRangeId_t;
    constexpr range_handle() noexcept {}
    constexpr explicit range_handle(value_type) noexcept {}
    constexpr value_type get_value() const noexcept { return 0; }
    explicit operator bool() const noexcept { return false; }
};
// With a destructor, so that a variable which is not used again is none that is unused.
template <class D = domain::global> class scoped_range_in {
  public:
    template <class... A> explicit scoped_range_in(A const &...) noexcept {}
    scoped_range_in(scoped_range_in const &) = delete;
    scoped_range_in &operator=(scoped_range_in const &) = delete;
    ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global> class unique_range_in {
  public:
    template <class... A> explicit unique_range_in(A const &...) noexcept {}
    unique_range_in(unique_range_in &&) noexcept {}
    unique_range_in &operator=(unique_range_in &&) noexcept { return *this; }
    ~unique_range_in() {}
};
using unique_range = unique_range_in<>;
template <class D = domain::global, class... A> range_handle start_range_in(A const &...) noexcept { return range_handle(); }
template <class... A> range_handle start_range(A const &...) noexcept { return range_handle(); }
template <class D = domain::global> void end_range_in(range_handle) noexcept {}
inline void end_range(range_handle) noexcept {}
template <class D = domain::global, class... A> void mark_in(A const &...) noexcept {}
template <class... A> void mark(A const &...) noexcept {}

}
}

#define NVTX3_V1_FUNC_RANGE_IN(D) ::nvtx3::scoped_range_in<D> const nvtx3_range{__func__}
#define NVTX3_V1_FUNC_RANGE() ::nvtx3::scoped_range const nvtx3_range{__func__}
#define NVTX3_FUNC_RANGE_IN(D) NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IF_IN(D, C) NVTX3_V1_FUNC_RANGE_IN(D); (void)(C)
#define NVTX3_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE(); (void)(C)
#endif
