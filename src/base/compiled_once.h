// Large values whose copies, moves and destructor are compiled in one file, not in every file that holds one: a third
// of the code that was compiled consisted of such copies.
#pragma once

/// In the class, after its members. It then has a default constructor and is not an aggregate.
#define KITH_COMPILED_ONCE(Type)    \
  Type();                           \
  Type(const Type&);                \
  Type(Type&&) noexcept;            \
  Type& operator=(const Type&);     \
  Type& operator=(Type&&) noexcept; \
  ~Type()

/// In one .cc.
#define KITH_COMPILED_ONCE_HERE(Type)               \
  Type::Type() = default;                           \
  Type::Type(const Type&) = default;                \
  Type::Type(Type&&) noexcept = default;            \
  Type& Type::operator=(const Type&) = default;     \
  Type& Type::operator=(Type&&) noexcept = default; \
  Type::~Type() = default
