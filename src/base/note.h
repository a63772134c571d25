// What a reader of an answer should know besides. A note has a kind, so that no program needs to read its wording.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kith {

enum class NoteKind {
  kCut,       // values are clamped to declared bounds
  kRowLimit,  // how many rows of a unit count
  kLeftOut,   // rows or units that do not count
  kSlip,      // a constant that no row can have: usually a slip
  kMethod,    // how the answer is made
  kAccuracy,  // what an error bar means, or that there is none
  kFinding,   // a result in addition to the table
  kProtects,  // who and what is protected, or is not
  kRefused,   // this would be refused, and why
  kExceeded,  // more was lost before than is allowed now
  kNotKept,   // something could not be stored
  kOther,     // written by a version whose notes had no kinds
};

struct Note {
  NoteKind kind = NoteKind::kMethod;
  std::string text;

  friend bool operator==(const Note&, const Note&) = default;
};

/// "clamped", "row_limit", ...: as documents write it.
std::string_view NameOf(NoteKind kind);

/// Nothing if no kind has this name.
std::optional<NoteKind> NoteKindNamed(std::string_view name);

}  // namespace kith
