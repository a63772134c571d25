// The single operations of abstract interpretation: ranges in, range out. Internal to query/range.
#pragma once
#include "query/range/range.h"

namespace kith {

struct RealCurve;

Range NullRange();
Range BooleanRange(bool may_true, bool may_false, bool may_null, bool secret);
Range IntegerRange(Int128 low, Int128 high);
/// The grain must be right: every value a multiple of 2^grain.
Range RealRange(double low, double high, int grain);
/// A known value, of an expression of the given type. `value` must outlive the result.
Range ConstantRange(const Value& value, Type type);
/// Every real is a multiple of the lowest bit it uses.
int GrainOf(double value);

/// Exactly one value (or NULL) is possible: then no secret can change it.
bool IsKnown(const Range& range, Type type);
/// The smallest range that holds both.
Range Hull(const Range& a, const Range& b, Type type);

// Arithmetic. `type` is the type of the arguments.
Range Add(const Range& a, const Range& b, Type type);
Range Subtract(const Range& a, const Range& b, Type type);
Range Multiply(const Range& a, const Range& b, Type type);
Range Square(const Range& a, Type type);              // a * a where both are the same value: never negative
Range Divide(const Range& a, const Range& b);         // reals
Range IntegerDivide(const Range& a, const Range& b);  // towards zero
Range Modulo(const Range& a, const Range& b);
Range Negate(const Range& a, Type type);
Range Abs(const Range& a, Type type);
Range Floor(const Range& a);
Range Ceil(const Range& a);
Range Round(const Range& a, int digits);
// Ends are moved outwards by more than the last bits in which engines differ.
Range Along(const RealCurve& curve, const Range& a);
Range Power(const Range& base, const Range& exponent);
/// Greatest or least.
Range Extreme(const std::vector<Range>& args, Type type, bool greatest);

// Conversions.
Range ToReal(const Range& a);
Range ToInteger(const Range& a, Type from);
Range ToDate(const Range& a);
Range ToTimestamp(const Range& a);
Range PartOf(const Range& a, Type type, DatePart part);

/// Requires: as StartOfUnit.
Range Trunc(const Range& a, Type type, DatePart part);
/// Every step on the way to the number of a bucket, the last one last: all must stay within bounds.
std::vector<Range> BucketSteps(const std::vector<Range>& args, Type type);
Range WidthBucket(const std::vector<Range>& args, Type type);
/// The same where the upper end belongs to the last part. Requires: the first argument is between the ends.
Range Histogram(const std::vector<Range>& args, Type type);

// Truth.
Range Compare(Op op, const Range& a, const Range& b, Type type);
Range And(const Range& a, const Range& b);
Range Or(const Range& a, const Range& b);
Range Not(const Range& a);
Range Distinct(const Range& a, const Range& b, Type type);
Range NullIf(const Range& a, const Range& b, Type type);
Range IsNull(const Range& a);
Range IsTruth(const Range& a, bool truth);
Range Like(const Range& a, const LikePattern& pattern);

}  // namespace kith
