#include "transfer/field/field_large_kernel.h"

#include <algorithm>
#include <cstddef>

#include "dependence/graph.h"

// Vectors of unknown length cannot be kept in arrays; every machine that has them also runs the fixed ones. Nothing
// here is done by an instruction that SSE4 adds to SSSE3.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_RVV | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transfer/field/field_large_kernel.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kith::field_large {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Products are kept in eight lanes on every machine, so that the result does not depend on the width of its vectors.
constexpr std::size_t kLanes = 8;
using Numbers = hn::CappedTag<double, kLanes>;
constexpr std::size_t kWidth = hn::MaxLanes(Numbers());
constexpr std::size_t kParts = kLanes / kWidth;
using Vector = hn::Vec<Numbers>;
template <class Sent>
using SentTag = hn::Rebind<Sent, Numbers>;

/// Slots that are fetched before they are computed with, so that the loop that waits for memory does nothing else. Also
/// how many factors are multiplied before the product is looked at: a lane of 32 factors below 2^16 does not overflow.
constexpr std::size_t kBlock = 256;
/// Slots whose factors are kept until the products are known; rows longer than that compute them twice.
constexpr std::size_t kKept = 4096;

/// A message this large is as good as infinite, and leaves room for its product with two strengths.
template <class Sent>
constexpr Sent kInfinite = Sent{0x1p120};

template <class Sent>
struct Scratch {
  alignas(64) double excess[kKept + kLanes];
  alignas(64) double seen[kBlock + kLanes];
  alignas(64) double coupling[kBlock + kLanes];
  alignas(64) Sent sent[kBlock + kLanes];
};

template <class Sent>
HWY_INLINE Vector Widened(hn::Vec<SentTag<Sent>> v) {
  if constexpr (sizeof(Sent) == 8) {
    return v;
  } else {
    return hn::PromoteTo(Numbers(), v);
  }
}

template <class Sent>
HWY_INLINE hn::Vec<SentTag<Sent>> Narrowed(Vector v) {
  if constexpr (sizeof(Sent) == 8) {
    return v;
  } else {
    return hn::DemoteTo(SentTag<Sent>(), v);
  }
}

/// Where the results of the nodes from `first` on go.
struct NodeResults {
  std::uint32_t first = 0;
  Product* products = nullptr;
  double* seen = nullptr;
};

template <class Sent>
HWY_INLINE double Own(const Rows<Sent>& rows, std::uint32_t i) {
  return rows.own == nullptr ? rows.own_of_all : rows.own[i];
}

/// (1 + a)(1 + b) - 1 without losing the digits of small a and b.
HWY_INLINE double Joined(double a, double b) { return a + b + a * b; }
template <class V>
HWY_INLINE V JoinedVectors(V a, V b) {
  return hn::Add(hn::Add(a, b), hn::Mul(a, b));
}

/// Scales down before the next factor could overflow.
HWY_INLINE void Multiply(Product& product, double excess) {
  product.excess = Joined(product.excess, excess);
  while (HWY_UNLIKELY(product.excess > 0x1p500)) {
    product.excess = (1 + product.excess) * 0x1p-500 - 1;
    product.shift += 500;
  }
}

/// All lanes of a vector joined: lane i with lane i + half, and so on.
template <class D, class V>
HWY_INLINE double JoinedLanes(D, V v) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return JoinedLanes(half, JoinedVectors(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

HWY_INLINE void MultiplyLanes(Product& product, Vector* lanes) {
  const Numbers d;
  Vector largest = lanes[0];
  for (std::size_t part = 1; part < kParts; ++part) largest = hn::Max(largest, lanes[part]);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(largest, hn::Set(d, 0x1p60))))) {
    for (std::size_t half = kParts / 2; half > 0; half /= 2) {
      for (std::size_t part = 0; part < half; ++part) lanes[part] = JoinedVectors(lanes[part], lanes[part + half]);
    }
    Multiply(product, JoinedLanes(d, lanes[0]));
    return;
  }
  alignas(64) double single[kLanes];
  for (std::size_t part = 0; part < kParts; ++part) hn::Store(lanes[part], d, single + part * kWidth);
  for (const double excess : single) Multiply(product, excess);
}

/// The excess of a neighbour's factor, rounded up. With c = 1 + a = e^{theta/2}, M = 1 + m the message that was sent to
/// the neighbour, and z = 1 - 1/P for the neighbour's product P:  f(P / f(M)) - 1, where f(u) = (1 + cu) / (c + u).
HWY_INLINE Vector ExcessUp(Vector m, Vector z, Vector a) {
  const Numbers d;
  const Vector one = hn::Set(d, 1.0);
  const Vector c = hn::Add(one, a);
  const Vector rest = hn::Sub(one, z);
  // More than all roundings below together: claims/transfer_field_large.md counts them.
  const Vector up = hn::Set(d, 1 + 0x1p-48);
  const Vector c1 = hn::Add(one, c);
  const Vector e = hn::Add(c1, m);
  const Vector numerator = hn::Sub(hn::Mul(hn::Mul(z, up), e), hn::Mul(hn::Mul(a, m), rest));
  const Vector denominator = hn::Add(e, hn::Mul(hn::Mul(c, rest), hn::Add(c1, hn::Mul(c, m))));
  return hn::Div(hn::Mul(hn::Mul(a, up), numerator), denominator);
}

/// No strength for the edges that are taken, of `count` slots.
HWY_INLINE void LeaveOutTaken(const std::uint64_t* taken, std::uint64_t begin, std::size_t count, double* coupling) {
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t slot = begin + i;
    const std::size_t in_word = std::min<std::size_t>(64 - slot % 64, count - i);
    const std::uint64_t word = taken[slot / 64] >> slot % 64;
    if (HWY_UNLIKELY(word != 0)) {
      for (std::size_t k = 0; k < in_word; ++k) coupling[i + k] = (word >> k & 1U) != 0 ? 0.0 : coupling[i + k];
    }
    i += in_word;
  }
}

/// Puts what the next `count` slots need side by side, and numbers after it for the last vector to read.
template <class Sent>
HWY_INLINE void Fetch(const Rows<Sent>& rows, std::uint64_t begin, std::size_t count, Scratch<Sent>& to) {
  const std::uint32_t* neighbours = rows.neighbours + begin;
  for (std::size_t i = 0; i < count; ++i) {
    // Into the second cache: the first could not hold that many, and waits for fewer at a time.
    __builtin_prefetch(rows.seen + neighbours[i + Graph::kLookAhead], 0, 2);
    to.seen[i] = rows.seen[neighbours[i]];
  }
  std::fill_n(to.seen + count, kLanes, 0.0);
  if (rows.strengths == nullptr && rows.taken == nullptr) return;
  if (rows.strengths == nullptr) {
    std::fill_n(to.coupling, count, rows.coupling[0]);
  } else {
    for (std::size_t i = 0; i < count; ++i) to.coupling[i] = rows.coupling[rows.strengths[begin + i]];
  }
  if (rows.taken != nullptr) LeaveOutTaken(rows.taken, begin, count, to.coupling);
  std::fill_n(to.coupling + count, kLanes, 0.0);
}

/// Where the messages sent over the next `count` slots are, infinite ones for neighbours that are fresh. They are
/// copied if that changes some, and for the last of them: the slots after them may belong to another thread.
template <class Sent>
HWY_INLINE const Sent* SentOver(const Rows<Sent>& rows, std::uint64_t begin, std::size_t count,
                                Scratch<Sent>& scratch) {
  if (rows.fresh_from == kNoneFresh && count == kBlock) return rows.sent + begin;
  for (std::size_t i = 0; i < count; ++i) {
    scratch.sent[i] = rows.neighbours[begin + i] >= rows.fresh_from ? kInfinite<Sent> : rows.sent[begin + i];
  }
  std::fill_n(scratch.sent + count, kLanes, Sent{0});
  return scratch.sent;
}

/// The excesses of the factors of `count` <= kKept slots, whatever rows they belong to.
template <class Sent, bool kStrengths>
HWY_INLINE void ExcessesBy(const Rows<Sent>& rows, std::uint64_t begin, std::size_t count, Scratch<Sent>& scratch) {
  const Numbers d;
  const SentTag<Sent> ds;
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t in_block = std::min(kBlock, count - done);
    Fetch(rows, begin + done, in_block, scratch);
    const Sent* sent = SentOver(rows, begin + done, in_block, scratch);
    Vector a = hn::Set(d, rows.coupling[0]);
    for (std::size_t i = 0; i < in_block; i += kWidth) {
      if (kStrengths) a = hn::Load(d, scratch.coupling + i);
      const Vector m = Widened<Sent>(hn::LoadU(ds, sent + i));
      hn::Store(ExcessUp(m, hn::Load(d, scratch.seen + i), a), d, scratch.excess + done + i);
    }
  }
}

/// Many slots at a time, so that a call costs nothing: inlined wherever it is used it would be most of what is
/// compiled.
template <class Sent>
HWY_NOINLINE void Excesses(const Rows<Sent>& rows, std::uint64_t begin, std::size_t count, Scratch<Sent>& scratch) {
  if (rows.strengths != nullptr || rows.taken != nullptr) {
    ExcessesBy<Sent, true>(rows, begin, count, scratch);
  } else {
    ExcessesBy<Sent, false>(rows, begin, count, scratch);
  }
}

/// Multiplies `count` factors to the product.
HWY_INLINE void MultiplyAll(Product& product, const double* excess, std::size_t count) {
  const Numbers d;
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t end = std::min(count, done + kBlock);
    Vector lanes[kParts];
    for (Vector& lane : lanes) lane = hn::Zero(d);
    for (std::size_t i = done; i < end; i += kLanes) {
      for (std::size_t part = 0; part < kParts; ++part) {
        const std::size_t at = i + part * kWidth;
        Vector next = hn::LoadU(d, excess + at);
        if (at + kWidth > end) next = hn::IfThenElseZero(hn::FirstN(d, end > at ? end - at : 0), next);
        lanes[part] = JoinedVectors(lanes[part], next);
      }
    }
    MultiplyLanes(product, lanes);
  }
}

/// What is sent over `count` slots whose factors have these excesses: M = P / (1 + excess), rounded down. It never
/// grows: that is what makes it safe to have used an older one elsewhere.
template <class Sent>
HWY_INLINE void Send(const Product& product, const double* excess, std::size_t count, Sent* sent) {
  const Numbers d;
  const SentTag<Sent> ds;
  const double low = product.shift > 0 ? double{kInfinite<Sent>} : product.excess;
  const Vector all = hn::Set(d, low);
  const Vector most = hn::Set(d, double{kInfinite<Sent>});
  const Vector down = hn::Set(d, sizeof(Sent) == 4 ? 1 - 0x1p-22 : 1 - 0x1p-49);
  const auto message = [&](std::size_t at) HWY_ATTR {
    const Vector own = hn::LoadU(d, excess + at);
    const Vector m = hn::Div(hn::Mul(hn::Sub(all, own), down), hn::Add(own, hn::Set(d, 1.0)));
    // Below 2^-120 single precision would round upwards; 0 is smaller, so it is as good.
    return Narrowed<Sent>(hn::Min(hn::IfThenElseZero(hn::Gt(m, hn::Set(d, 0x1p-120)), m), most));
  };
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) hn::StoreU(hn::Min(hn::LoadU(ds, sent + i), message(i)), ds, sent + i);
  if (i == count) return;
    // The slots after the row may belong to another thread: they must not be touched.
#if HWY_TARGET <= HWY_AVX2  // and better: stores that leave out lanes
  const auto some = hn::FirstN(ds, count - i);
  hn::BlendedStore(hn::Min(hn::MaskedLoad(some, ds, sent + i), message(i)), some, ds, sent + i);
#else
  alignas(64) Sent last[kWidth];
  hn::Store(message(i), ds, last);
  for (std::size_t k = 0; i + k < count; ++k) sent[i + k] = std::min(sent[i + k], last[k]);
#endif
}

/// The same, for rows that are not worth a copy of it.
template <class Sent>
HWY_NOINLINE void SendLong(const Product& product, const double* excess, std::size_t count, Sent* sent) {
  Send(product, excess, count, sent);
}

/// Rows that fit into what is kept, all at once: slots know nothing of rows until they are multiplied.
template <class Sent>
void RenewShort(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, const NodeResults& results,
                Scratch<Sent>& scratch) {
  const std::uint64_t begin = rows.offsets[first];
  Excesses<Sent>(rows, begin, rows.offsets[last] - begin, scratch);
  for (std::uint32_t node = first; node < last; ++node) {
    const std::size_t degree = rows.offsets[node + 1] - rows.offsets[node];
    const double* excess = scratch.excess + (rows.offsets[node] - begin);
    Product& product = results.products[node - results.first];
    product = {Own(rows, node - results.first), 0};
    MultiplyAll(product, excess, degree);
    results.seen[node - results.first] = SeenOf(product, degree);
    Send(product, excess, degree, rows.sent + rows.offsets[node]);
  }
}

template <class Sent>
void RenewLong(const Rows<Sent>& rows, std::uint32_t node, const NodeResults& results, Scratch<Sent>& scratch) {
  const std::uint64_t begin = rows.offsets[node];
  const std::uint64_t end = rows.offsets[node + 1];
  Product product{Own(rows, node - results.first), 0};
  for (std::uint64_t s = begin; s < end; s += kKept) {
    const std::size_t count = std::min<std::uint64_t>(kKept, end - s);
    Excesses<Sent>(rows, s, count, scratch);
    MultiplyAll(product, scratch.excess, count);
  }
  results.products[node - results.first] = product;
  results.seen[node - results.first] = SeenOf(product, end - begin);
  for (std::uint64_t s = begin; s < end; s += kKept) {
    const std::size_t count = std::min<std::uint64_t>(kKept, end - s);
    Excesses<Sent>(rows, s, count, scratch);
    SendLong(product, scratch.excess, count, rows.sent + s);
  }
}

template <class Sent>
void RenewAll(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, const NodeResults& results) {
  Scratch<Sent> scratch;
  for (std::uint32_t node = first; node < last;) {
    std::uint32_t next = node;
    while (next < last && rows.offsets[next + 1] - rows.offsets[node] <= kKept) ++next;
    if (next > node) {
      RenewShort<Sent>(rows, node, next, results, scratch);
    } else {
      RenewLong<Sent>(rows, next++, results, scratch);
    }
    node = next;
  }
}

template <class Sent>
void Renew(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen) {
  const NodeResults results{first, products, seen};
  RenewAll(rows, first, last, results);
}

template <class Sent>
void Start(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, double* seen) {
  alignas(64) double excess[kBlock];
  for (std::uint32_t node = first; node < last; ++node) {
    const std::uint64_t begin = rows.offsets[node];
    const std::uint64_t end = rows.offsets[node + 1];
    Product product{Own(rows, node - first), 0};
    const auto fetch = [&](std::uint64_t s, std::size_t count) HWY_ATTR {
      for (std::size_t i = 0; i < count; ++i) {
        excess[i] = rows.coupling[rows.strengths == nullptr ? 0 : rows.strengths[s + i]];
      }
      if (rows.taken != nullptr) LeaveOutTaken(rows.taken, s, count, excess);
    };
    for (std::uint64_t s = begin; s < end; s += kBlock) {
      const std::size_t count = std::min<std::uint64_t>(kBlock, end - s);
      fetch(s, count);
      for (std::size_t i = 0; i < count; ++i) Multiply(product, excess[i]);
    }
    seen[node - first] = SeenOf(product, end - begin);
    std::fill(rows.sent + begin, rows.sent + end, kInfinite<Sent>);
    for (std::uint64_t s = begin; s < end; s += kBlock) {
      const std::size_t count = std::min<std::uint64_t>(kBlock, end - s);
      fetch(s, count);
      SendLong(product, excess, count, rows.sent + s);
    }
  }
}

void RenewFloat(const Rows<float>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen) {
  Renew(rows, first, last, products, seen);
}
void RenewDouble(const Rows<double>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen) {
  Renew(rows, first, last, products, seen);
}
void StartFloat(const Rows<float>& rows, std::uint32_t first, std::uint32_t last, double* seen) {
  Start(rows, first, last, seen);
}
void StartDouble(const Rows<double>& rows, std::uint32_t first, std::uint32_t last, double* seen) {
  Start(rows, first, last, seen);
}
const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith::field_large
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith::field_large {

HWY_EXPORT(RenewFloat);
HWY_EXPORT(RenewDouble);
HWY_EXPORT(StartFloat);
HWY_EXPORT(StartDouble);
HWY_EXPORT(Target);

// z = excess / (1 + excess): no digits are lost near 0, and near 1 only those that no longer matter.
double SeenOf(const Product& product, std::uint64_t degree) {
  if (product.shift > 0) return 1;
  const double excess = product.excess * (1 + 2 * ProductSlack(degree));
  return std::min(1.0, excess / (1 + excess) * (1 + 0x1p-49));
}

template <>
void RenewRows(const Rows<float>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen) {
  HWY_DYNAMIC_DISPATCH(RenewFloat)(rows, first, last, products, seen);
}
template <>
void RenewRows(const Rows<double>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen) {
  HWY_DYNAMIC_DISPATCH(RenewDouble)(rows, first, last, products, seen);
}
template <>
void StartRows(const Rows<float>& rows, std::uint32_t first, std::uint32_t last, double* seen) {
  HWY_DYNAMIC_DISPATCH(StartFloat)(rows, first, last, seen);
}
template <>
void StartRows(const Rows<double>& rows, std::uint32_t first, std::uint32_t last, double* seen) {
  HWY_DYNAMIC_DISPATCH(StartDouble)(rows, first, last, seen);
}
const char* VectorTarget() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace kith::field_large
#endif
