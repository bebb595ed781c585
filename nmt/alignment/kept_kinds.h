// What a translation keeps as its source has it, by kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dietmt::nmt {

enum class Kept : uint8_t {
  kPlaceholders,  // %s {0} {{ user.name }} ${x} :count $1 [X0X] __name__
  kTags,          // <b> <br/> &amp; {\i1}
  kAddresses,     // https://example.org, me@example.org
  kPaths,         // /etc/fstab, C:\Users, README.md
  kMentions,      // @name #hashtag
  kCode,          // `in backticks`
  kMarkdown,      // **bold**, [text](address)
  kBbcode,        // [b]bold[/b]
  kMnemonics,     // &Open, _File (nmt/alignment/mnemonics.h)
  kSymbols,       // emoji, arrows, mathematical signs (nmt/alignment/symbols.h)
  kUnknown,       // what the vocabulary of the model lacks (nmt/translation/kept_finder.h)
};

/// A set of kinds.
class KeptKinds {
 public:
  constexpr KeptKinds() = default;
  constexpr KeptKinds(Kept kind) : bits_(1U << static_cast<unsigned>(kind)) {}

  constexpr bool has(Kept kind) const { return (bits_ & KeptKinds(kind).bits_) != 0; }
  constexpr bool any() const { return bits_ != 0; }
  constexpr unsigned bits() const { return bits_; }
  constexpr KeptKinds operator|(KeptKinds other) const { return KeptKinds(bits_ | other.bits_); }
  constexpr KeptKinds operator&(KeptKinds other) const { return KeptKinds(bits_ & other.bits_); }
  constexpr KeptKinds without(KeptKinds other) const { return KeptKinds(bits_ & ~other.bits_); }
  constexpr bool operator==(const KeptKinds&) const = default;

  static constexpr KeptKinds all() { return KeptKinds(kAll); }
  /// What nobody wants translated in plain text: all but tags, in which a text would have to be
  /// markup for `<` and `&` to mean something.
  static constexpr KeptKinds plain() { return all().without(Kept::kTags); }
  /// What messages and documents have.
  static constexpr KeptKinds markup() { return KeptKinds(Kept::kPlaceholders) | Kept::kTags; }

 private:
  static constexpr unsigned kAll = (1U << 11U) - 1;
  constexpr explicit KeptKinds(unsigned bits) : bits_(bits) {}

  unsigned bits_ = 0;
};

/// "plain", "all", "none", or names separated by commas, such as "addresses,code". Throws
/// ConfigError.
KeptKinds kept_kinds_from(std::string_view names);

/// The names, for help and messages: "placeholders, tags, ...".
std::string kept_kind_names();

}  // namespace dietmt::nmt
