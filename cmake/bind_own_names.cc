// bind_own_names IN OUT: copies a shared library so that it finds its own functions and data without looking their
// names up. DuckDB is linked such that any other library might replace each of its sixty thousand references; nobody
// does, and the loader looks them up again whenever a program loads it. This is what linking with -Bsymbolic would have
// given. Whatever is no shared library for x86-64 is copied as it is.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Library {
 public:
  explicit Library(std::vector<char> bytes) : bytes_(std::move(bytes)) {
    const auto header = At<Elf64_Ehdr>(0);
    for (std::size_t k = 0; k < header.e_phnum; ++k) {
      const auto segment = At<Elf64_Phdr>(header.e_phoff + k * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
      if (segment.p_type != PT_DYNAMIC) continue;
      for (std::size_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto entry = At<Elf64_Dyn>(segment.p_offset + at);
        dynamic_.emplace(entry.d_tag, entry.d_un.d_val);
      }
    }
  }

  const std::vector<char>& bytes() const { return bytes_; }

  void Bind() {
    // Addresses in tables of functions and in data: where the library is loaded plus a number, instead of a name.
    for (std::size_t at = 0; at < Value(DT_RELASZ); at += sizeof(Elf64_Rela)) {
      const std::size_t place = InFile(Value(DT_RELA)) + at;
      auto reference = At<Elf64_Rela>(place);
      const auto kind = ELF64_R_TYPE(reference.r_info);
      if (kind != R_X86_64_64 && kind != R_X86_64_GLOB_DAT) continue;
      const auto symbol = SymbolOf(reference);
      if (!IsOwn(symbol)) continue;
      if (kind == R_X86_64_GLOB_DAT) reference.r_addend = 0;
      reference.r_addend += static_cast<Elf64_Sxword>(symbol.st_value);
      reference.r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
      Put(place, reference);
    }
    // Calls: their slots hold where the name would be looked up at the first call, and get where the function is.
    for (std::size_t at = 0; at < Value(DT_PLTRELSZ); at += sizeof(Elf64_Rela)) {
      const auto reference = At<Elf64_Rela>(InFile(Value(DT_JMPREL)) + at);
      const auto symbol = SymbolOf(reference);
      if (ELF64_R_TYPE(reference.r_info) == R_X86_64_JUMP_SLOT && IsOwn(symbol)) {
        Put(InFile(reference.r_offset), symbol.st_value);
      }
    }
  }

 private:
  template <class T>
  T At(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) throw std::runtime_error("ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  template <class T>
  void Put(std::size_t offset, const T& value) {
    At<T>(offset);
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }

  std::size_t Value(Elf64_Sxword tag) const {
    const auto found = dynamic_.find(tag);
    return found == dynamic_.end() ? 0 : found->second;
  }

  std::size_t InFile(std::size_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
        return address - segment.p_vaddr + segment.p_offset;
      }
    }
    throw std::runtime_error("refers to what is not in it");
  }

  Elf64_Sym SymbolOf(const Elf64_Rela& reference) const {
    return At<Elf64_Sym>(InFile(Value(DT_SYMTAB)) + ELF64_R_SYM(reference.r_info) * sizeof(Elf64_Sym));
  }

  /// Defined here, and of the kinds that nobody shares: what is unique in a process, belongs to a thread or is chosen
  /// by the processor is left to the loader.
  static bool IsOwn(const Elf64_Sym& symbol) {
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
           (binding == STB_GLOBAL || binding == STB_WEAK) && (type == STT_OBJECT || type == STT_FUNC);
  }

  std::vector<char> bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::map<Elf64_Sxword, std::size_t> dynamic_;
};

bool IsForX86(const std::vector<char>& bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_machine == EM_X86_64 && header.e_type == ET_DYN;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("usage: bind_own_names IN OUT");
  std::ifstream in(arguments[1], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || bytes.empty()) throw std::runtime_error(std::string("cannot read ") + arguments[1]);
  if (IsForX86(bytes)) {
    Library library(std::move(bytes));
    library.Bind();
    bytes = library.bytes();
  }
  std::ofstream out(arguments[2], std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error(std::string("cannot write ") + arguments[2]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bind_own_names: " << error.what() << "\n";
  return 1;
}
