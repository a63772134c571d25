// How the values of release.h are copied, moved and destroyed: once here, instead of in every file that has one.
#include "release/release.h"

namespace kith {

KITH_COMPILED_ONCE_HERE(Explanation);

KITH_COMPILED_ONCE_HERE(Answer);

KITH_COMPILED_ONCE_HERE(BudgetReport);

}  // namespace kith
