// The loops over the lanes of a block. Compiled several times (kernels.cc): for any processor, and for those that have
// longer registers.
// Internal to engine/memory.
#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "engine/memory/block.h"

#define KITH_INLINE [[gnu::always_inline]] inline
#define KITH_LANE __attribute__((always_inline))

namespace kith::memory {

struct Kernels {
  using Whole = std::int64_t;
  using Bits = std::uint64_t;

  /// Runs all steps of a block, and adds up its totals. `rows`: of the block's lanes, how many are rows.
  using Runner = void (*)(Machine& machine, std::size_t rows);
  static Runner For(Lane lane);
  /// One step.
  static void Make(Machine& machine, std::size_t step);

  // Numbers of this size are 1 apart: adding it rounds, halves to even, and what its bits grow by is the integer.
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kRounded = 0x1p51;  // so far it does

  struct Masks {
    alignas(64) Whole all[kLanes];
    alignas(64) Whole none[kLanes];
    Masks();
  };
  static const Masks kMasks;

  KITH_INLINE static Whole Truth(bool is) { return is ? -1 : 0; }
  KITH_INLINE static bool IsFinite(double x) { return __builtin_fabs(x) <= std::numeric_limits<double>::max(); }
  KITH_INLINE static Whole Nearest(double x) {
    return static_cast<Whole>(std::bit_cast<Bits>(x + kRound) - std::bit_cast<Bits>(kRound));
  }
  // Whole numbers wrap around: values that are there never do (claim PLAN-1), others may be anything.
  KITH_INLINE static Whole Wrapped(Bits x) { return static_cast<Whole>(x); }

  template <class T, class F>
  KITH_INLINE static void Each(T* __restrict out, F of) {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = of(i);
  }

  KITH_INLINE static const Whole* AllOr(const Whole* valid) { return valid == nullptr ? kMasks.all : valid; }

  // Where both are there.
  KITH_INLINE static const Whole* Both(const Whole* a, const Whole* b, Whole* __restrict into) {
    if (a == nullptr || b == nullptr || a == b) return a == nullptr ? b : a;
    Each(into, [=](std::size_t i) KITH_LANE { return a[i] & b[i]; });
    return into;
  }

  // Each number by `of`. Returns where it is there and was finite.
  template <class T, class F>
  KITH_INLINE static const Whole* EachFinite(const double* x, const Whole* valid, T* __restrict out,
                                             Whole* __restrict into, F of) {
    Whole odd = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      odd |= IsFinite(x[i]) ? 0 : -1;
      out[i] = of(x[i]);
    }
    if (odd == 0) return valid;
    const Whole* there = AllOr(valid);
    Each(into, [=](std::size_t i) KITH_LANE { return IsFinite(x[i]) ? there[i] : 0; });
    return into;
  }

  template <class T>
  KITH_INLINE static void Pick(const Whole* when, const T* then, const T* otherwise, T* __restrict out) {
    Each(out, [=](std::size_t i) KITH_LANE { return when[i] != 0 ? then[i] : otherwise[i]; });
  }

  // Rare: numbers that are too large for Nearest.
  static const Whole* Cast(const double* x, const Whole* valid, bool narrow, Block& out);

  KITH_INLINE static Lanes OfReal(const Step& s, const Lanes& a, const Lanes& b, Block& o) {
    const double *x = a.real, *y = b.real;
    const double low = s.low, high = s.high;
    switch (s.what) {
      case Do::kClamp: {
        const double tiny = s.tiny, zero = 0.0 < low ? low : 0.0 > high ? high : 0.0;
        const Whole* valid = EachFinite(x, a.valid, o.real, o.valid, [=](double each) KITH_LANE {
          double value = __builtin_fabs(each) < tiny ? zero : each;
          value = each <= low ? low : value;
          return each >= high ? high : value;
        });
        return {o.real, nullptr, valid};
      }
      case Do::kAtLeast:
      case Do::kAtMost: {
        if (s.what == Do::kAtLeast) {
          Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] < low ? low : x[i]; });
        } else {
          Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] < high ? x[i] : high; });
        }
        if (a.valid == nullptr) return {o.real};
        const double end = s.what == Do::kAtLeast ? low : high;
        const Whole* there = a.valid;
        for (std::size_t i = 0; i < kLanes; ++i) o.real[i] = there[i] != 0 ? o.real[i] : end;
        return {o.real};
      }
      case Do::kNegate:
        Each(o.real, [=](std::size_t i) KITH_LANE { return -x[i]; });
        return {o.real, nullptr, a.valid};
      case Do::kAbs:
        Each(o.real, [=](std::size_t i) KITH_LANE { return __builtin_fabs(x[i]); });
        return {o.real, nullptr, a.valid};
      case Do::kFloor:
        Each(o.real, [=](std::size_t i) KITH_LANE { return __builtin_floor(x[i]); });
        return {o.real, nullptr, a.valid};
      case Do::kAdd:
        Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] + y[i]; });
        break;
      case Do::kSubtract:
        Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] - y[i]; });
        break;
      case Do::kMultiply:
        Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] * y[i]; });
        break;
      default:  // kDivide
        Each(o.real, [=](std::size_t i) KITH_LANE { return x[i] / y[i]; });
        break;
    }
    return {o.real, nullptr, Both(a.valid, b.valid, o.valid)};
  }

  KITH_INLINE static Lanes OfWhole(const Step& s, const Lanes& a, const Lanes& b, Block& o) {
    const Whole *x = a.whole, *y = b.whole;
    const Whole from = s.from, to = s.to;
    switch (s.what) {
      case Do::kNegate:
        Each(o.whole, [=](std::size_t i) KITH_LANE { return Wrapped(Bits{0} - static_cast<Bits>(x[i])); });
        return {nullptr, o.whole, a.valid};
      case Do::kAbs:
        Each(o.whole,
             [=](std::size_t i) KITH_LANE { return x[i] < 0 ? Wrapped(Bits{0} - static_cast<Bits>(x[i])) : x[i]; });
        return {nullptr, o.whole, a.valid};
      case Do::kWithin:
        Each(o.whole, [=](std::size_t i) KITH_LANE {
          const Whole value = x[i] < from ? from : x[i];
          return value > to ? to : value;
        });
        return {nullptr, o.whole, a.valid};
      case Do::kDivide: {
        const Whole by = y[0];  // a constant above 0
        Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] / by; });
        return {nullptr, o.whole, a.valid};
      }
      case Do::kIndex: {
        const Whole* there = AllOr(a.valid);
        const Whole otherwise = s.otherwise;
        Each(o.whole, [=](std::size_t i) KITH_LANE {
          const Whole above = Wrapped(static_cast<Bits>(x[i]) - static_cast<Bits>(from));
          return (Truth(x[i] >= from) & Truth(x[i] <= to) & there[i]) != 0 ? above : otherwise;
        });
        return {nullptr, o.whole};
      }
      case Do::kJoinIndex: {
        const Whole size = s.whole;
        Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] * size + y[i]; });
        return {nullptr, o.whole};
      }
      case Do::kAdd:
        Each(o.whole,
             [=](std::size_t i) KITH_LANE { return Wrapped(static_cast<Bits>(x[i]) + static_cast<Bits>(y[i])); });
        break;
      case Do::kSubtract:
        Each(o.whole,
             [=](std::size_t i) KITH_LANE { return Wrapped(static_cast<Bits>(x[i]) - static_cast<Bits>(y[i])); });
        break;
      default:  // kMultiply
        Each(o.whole,
             [=](std::size_t i) KITH_LANE { return Wrapped(static_cast<Bits>(x[i]) * static_cast<Bits>(y[i])); });
        break;
    }
    return {nullptr, o.whole, Both(a.valid, b.valid, o.valid)};
  }

  KITH_INLINE static Lanes Compared(const Step& s, bool real, const Lanes& a, const Lanes& b, Block& o) {
    if (real) {
      const double *x = a.real, *y = b.real;
      if (s.what == Do::kLess) {
        Each(o.whole,
             [=](std::size_t i) KITH_LANE { return Truth(x[i] < y[i]) | (Truth(y[i] != y[i]) & Truth(x[i] == x[i])); });
      } else {
        Each(o.whole, [=](std::size_t i)
                          KITH_LANE { return Truth(x[i] == y[i]) | (Truth(x[i] != x[i]) & Truth(y[i] != y[i])); });
      }
    } else {
      const Whole *x = a.whole, *y = b.whole;
      if (s.what == Do::kLess) {
        Each(o.whole, [=](std::size_t i) KITH_LANE { return Truth(x[i] < y[i]); });
      } else {
        Each(o.whole, [=](std::size_t i) KITH_LANE { return Truth(x[i] == y[i]); });
      }
    }
    return {nullptr, o.whole, Both(a.valid, b.valid, o.valid)};
  }

  // Three-valued: what is false decides AND, and what is true OR, whatever is missing.
  KITH_INLINE static Lanes Joined(bool is_and, const Lanes& a, const Lanes& b, Block& o) {
    const Whole *x = a.whole, *y = b.whole;
    if (a.valid == nullptr && b.valid == nullptr) {
      if (is_and) {
        Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] & y[i]; });
      } else {
        Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] | y[i]; });
      }
      return {nullptr, o.whole};
    }
    const Whole *v = AllOr(a.valid), *w = AllOr(b.valid);
    if (is_and) {
      Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] & v[i] & y[i] & w[i]; });
      Each(o.valid, [=](std::size_t i) KITH_LANE { return (v[i] & w[i]) | (v[i] & ~x[i]) | (w[i] & ~y[i]); });
    } else {
      Each(o.whole, [=](std::size_t i) KITH_LANE { return (x[i] & v[i]) | (y[i] & w[i]); });
      Each(o.valid, [=](std::size_t i) KITH_LANE { return (v[i] & w[i]) | (v[i] & x[i]) | (w[i] & y[i]); });
    }
    return {nullptr, o.whole, o.valid};
  }

  KITH_INLINE static Lanes Selected(const Step& s, const Lanes& a, const Lanes& b, const Lanes& c, Block& o) {
    const Whole* when = a.whole;
    // Where the condition is true. Its lanes are kept in `valid` until they are no longer needed.
    if (a.valid != nullptr) {
      const Whole* there = a.valid;
      Each(o.valid, [=](std::size_t i) KITH_LANE { return when[i] & there[i]; });
      when = o.valid;
    }
    const bool real = s.kind == Kind::kReal;
    const Lanes& other = s.c < 0 ? b : c;
    if (real) {
      Pick(when, b.real, other.real, o.real);
    } else {
      Pick(when, b.whole, other.whole, o.whole);
    }
    Lanes out{real ? o.real : nullptr, real ? nullptr : o.whole};
    if (s.c >= 0 && b.valid == nullptr && c.valid == nullptr) return out;
    const Whole *v = AllOr(b.valid), *w = s.c < 0 ? kMasks.none : AllOr(c.valid);
    for (std::size_t i = 0; i < kLanes; ++i) o.valid[i] = when[i] != 0 ? v[i] : w[i];
    out.valid = o.valid;
    return out;
  }

  KITH_INLINE static Lanes Rounded(const Step& s, const Lanes& a, Block& o) {
    const double* x = a.real;
    const double most = s.narrow ? std::numeric_limits<std::int32_t>::max() : kRounded;
    Whole odd = 0;
    for (std::size_t i = 0; i < kLanes; ++i) odd |= __builtin_fabs(x[i]) < most ? 0 : -1;
    if (odd != 0) return {nullptr, o.whole, Cast(x, a.valid, s.narrow, o)};
    Each(o.whole, [=](std::size_t i) KITH_LANE { return Nearest(x[i]); });
    return {nullptr, o.whole, a.valid};
  }

  KITH_INLINE static Lanes Stepped(const Step& s, const Lanes& a, Block& o) {
    constexpr double kEnd = std::numeric_limits<std::int32_t>::max();
    const double* x = a.real;
    const double low = s.low, high = s.high, shift = s.shift, inverse = s.inverse;
    const Whole* valid = EachFinite(x, a.valid, o.whole, o.valid, [=](double each) KITH_LANE {
      double value = each < low ? low : each;
      value = value > high ? high : value;
      value = (value - shift) * inverse;
      value = value < -kEnd ? -kEnd : value;
      value = value > kEnd ? kEnd : value;
      return Nearest(value);
    });
    return {nullptr, o.whole, valid};
  }

  KITH_INLINE static Lanes Filled(const Step& s, Block& o) {
    Lanes out;
    if (s.kind == Kind::kReal) {
      const double real = s.real;
      Each(o.real, [=](std::size_t) KITH_LANE { return real; });
      out.real = o.real;
    } else {
      const Whole whole = s.whole;
      Each(o.whole, [=](std::size_t) KITH_LANE { return whole; });
      out.whole = o.whole;
    }
    out.valid = s.missing ? kMasks.none : nullptr;
    return out;
  }

  KITH_INLINE static Lanes One(const Program& program, const Step& s, const std::vector<Lanes>& made, Block& o) {
    const auto at = [&](int k) { return k < 0 ? Lanes{} : made[static_cast<std::size_t>(k)]; };
    const Lanes a = at(s.a), b = at(s.b);
    const bool of_real = s.a >= 0 && program.steps[static_cast<std::size_t>(s.a)].kind == Kind::kReal;
    switch (s.what) {
      case Do::kConstant:
        return Filled(s, o);
      case Do::kRange: {
        const double* x = a.real;
        const double low = s.low, high = s.high;
        Each(o.whole, [=](std::size_t i) KITH_LANE { return Truth(x[i] >= low) & Truth(x[i] <= high); });
        return {nullptr, o.whole, a.valid};
      }
      case Do::kSteps:
        return Stepped(s, a, o);
      case Do::kLess:
      case Do::kEqual:
        return Compared(s, of_real, a, b, o);
      case Do::kAnd:
      case Do::kOr:
        return Joined(s.what == Do::kAnd, a, b, o);
      case Do::kNot: {
        const Whole* x = a.whole;
        Each(o.whole, [=](std::size_t i) KITH_LANE { return ~x[i]; });
        return {nullptr, o.whole, a.valid};
      }
      case Do::kIsNull: {
        if (a.valid == nullptr) return {nullptr, kMasks.none};
        const Whole* there = a.valid;
        Each(o.whole, [=](std::size_t i) KITH_LANE { return ~there[i]; });
        return {nullptr, o.whole};
      }
      case Do::kIsTrue:
        return {nullptr, a.valid == nullptr ? a.whole : Both(a.whole, a.valid, o.whole)};
      case Do::kSelect:
        return Selected(s, a, b, at(s.c), o);
      case Do::kCoalesce: {
        if (a.valid == nullptr) return a;
        const Whole* there = a.valid;
        Lanes out;
        if (s.kind == Kind::kReal) {
          Pick(there, a.real, b.real, o.real);
          out.real = o.real;
        } else {
          Pick(there, a.whole, b.whole, o.whole);
          out.whole = o.whole;
        }
        if (b.valid == nullptr) return out;
        const Whole* other = b.valid;
        Each(o.valid, [=](std::size_t i) KITH_LANE { return there[i] | other[i]; });
        out.valid = o.valid;
        return out;
      }
      case Do::kToReal: {
        const Whole* x = a.whole;
        Each(o.real, [=](std::size_t i) KITH_LANE { return static_cast<double>(x[i]); });
        return {o.real, nullptr, a.valid};
      }
      case Do::kToWhole:
        return Rounded(s, a, o);
      case Do::kOfTruth: {
        const Whole* x = a.whole;
        Each(o.whole, [=](std::size_t i) KITH_LANE { return x[i] & 1; });
        return {nullptr, o.whole, a.valid};
      }
      default:
        return s.kind == Kind::kReal ? OfReal(s, a, b, o) : OfWhole(s, a, b, o);
    }
  }

  // Rows of the block that count for nothing but their place: null if that is all lanes.
  KITH_INLINE static const Whole* Counted(Machine& m, std::size_t rows) {
    const Whole* counted = nullptr;
    Whole* into = m.counted_->whole;
    if (rows < kLanes) {
      Each(into, [=](std::size_t i) KITH_LANE { return Truth(i < rows); });
      counted = into;
    }
    if (m.program_.where < 0) return counted;
    return True(m.made_[static_cast<std::size_t>(m.program_.where)], counted, into);
  }

  // Where the condition is true and `counted` is; `into` may be the same lanes.
  KITH_INLINE static const Whole* True(const Lanes& condition, const Whole* counted, Whole* into) {
    if (condition.valid == nullptr && counted == nullptr) return condition.whole;
    const Whole *x = condition.whole, *v = AllOr(condition.valid), *c = AllOr(counted);
    for (std::size_t i = 0; i < kLanes; ++i) into[i] = x[i] & v[i] & c[i];
    return into;
  }

  KITH_INLINE static Whole NarrowSum(const Whole* x, const Whole* counted) {
    Whole sum = 0;
    if (counted == nullptr) {
      for (std::size_t i = 0; i < kLanes; ++i) sum += x[i];
    } else {
      for (std::size_t i = 0; i < kLanes; ++i) sum += x[i] & counted[i];
    }
    return sum;
  }

  // Halves of 32 bits, moved so that none is negative.
  KITH_INLINE static Int128 WideSum(const Whole* x, const Whole* counted) {
    constexpr Bits kMiddle = Bits{1} << 63;
    const Whole* c = AllOr(counted);
    Bits low = 0, high = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Bits moved = static_cast<Bits>(x[i] & c[i]) ^ kMiddle;
      low += moved & 0xFFFFFFFFU;
      high += moved >> 32;
    }
    return (static_cast<Int128>(high) << 32) + static_cast<Int128>(low) -
           static_cast<Int128>(kMiddle) * static_cast<Int128>(kLanes);
  }

  KITH_INLINE static void AddUp(Machine& m, std::size_t rows) {
    const Program& program = m.program_;
    const Whole* counted = Counted(m, rows);
    const std::size_t totals = program.totals.size();
    const Whole* group = program.group < 0 ? nullptr : m.made_[static_cast<std::size_t>(program.group)].whole;
    for (std::size_t t = 0; t < totals; ++t) {
      const Total& total = program.totals[t];
      const Whole* mask = counted;
      Lanes value;
      bool narrow = false;
      if (total.value >= 0) {
        value = m.made_[static_cast<std::size_t>(total.value)];
        narrow = program.steps[static_cast<std::size_t>(total.value)].narrow;
        mask = Both(counted, value.valid, m.counted_->valid);
      }
      if (total.filter >= 0) mask = True(m.made_[static_cast<std::size_t>(total.filter)], mask, m.counted_->valid);
      if (group != nullptr) {
        const Whole* c = AllOr(mask);
        const auto place = [=](std::size_t i) KITH_LANE { return static_cast<std::size_t>(group[i]) * totals + t; };
        Whole* const sums = m.narrow_.data();
        if (!total.sum) {
          for (std::size_t i = 0; i < rows; ++i) sums[place(i)] -= c[i];
        } else if (narrow) {
          for (std::size_t i = 0; i < rows; ++i) sums[place(i)] += value.whole[i] & c[i];
        } else {
          for (std::size_t i = 0; i < rows; ++i) m.sums_[place(i)] += value.whole[i] & c[i];
        }
      } else if (!total.sum) {
        m.narrow_[t] += mask == nullptr ? static_cast<Whole>(kLanes) : -NarrowSum(mask, nullptr);
      } else if (narrow) {
        m.narrow_[t] += NarrowSum(value.whole, mask);
      } else {
        m.sums_[t] += WideSum(value.whole, mask);
      }
    }
  }

  KITH_INLINE static void All(Machine& m, std::size_t rows) {
    for (const std::size_t k : m.each_) m.made_[k] = One(m.program_, m.program_.steps[k], m.made_, m.blocks_[k]);
    AddUp(m, rows);
  }
};

}  // namespace kith::memory
