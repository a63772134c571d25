// Opened databases for the children of kith_blind --serve: opening one takes longer than most questions.
#pragma once

namespace kith::blind {

/// Opens some databases in memory, set as kith sets them. What DuckDb::Open asks for afterwards, in this process or in
/// a child of it, is one of them, as long as they last and as the settings are the same; a child that ends does not
/// close it.
void WarmUp();

}  // namespace kith::blind
