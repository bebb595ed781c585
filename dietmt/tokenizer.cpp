#include "dietmt/tokenizer.h"

#include "common/error.h"
#include "data/text/tokenizer.h"
#include "dietmt/guarded.h"

namespace dietmt {

struct Tokenizer::Impl {
  explicit Impl(const std::string& file) : tokenizer(file) {}

  void check(std::int32_t id) const {
    const int64_t size = tokenizer.vocabulary_size();
    if (id < 0 || id >= size)
      throw DataError("piece id " + std::to_string(id) + " is not one of the " +
                      std::to_string(size) + " of " + tokenizer.file());
  }

  data::Tokenizer tokenizer;
};

Tokenizer::Tokenizer(const std::string& file)
    : impl_(guarded([&] { return std::make_unique<const Impl>(file); })) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<std::int32_t> Tokenizer::encode(std::string_view line) const {
  return guarded([&] { return impl_->tokenizer.encode(line); });
}

std::vector<std::string> Tokenizer::pieces(std::string_view line) const {
  std::vector<std::string> pieces;
  for (const std::int32_t id : encode(line)) pieces.push_back(piece(id));
  return pieces;
}

std::string Tokenizer::decode(const std::vector<std::int32_t>& ids) const {
  return guarded([&] {
    for (const std::int32_t id : ids) impl_->check(id);
    return impl_->tokenizer.decode(ids);
  });
}

std::string Tokenizer::piece(std::int32_t id) const {
  return guarded([&] {
    impl_->check(id);
    return impl_->tokenizer.piece(id);
  });
}

std::int64_t Tokenizer::vocabulary_size() const { return impl_->tokenizer.vocabulary_size(); }
std::int32_t Tokenizer::unknown_id() const { return impl_->tokenizer.unknown_id(); }
std::int32_t Tokenizer::begin_id() const { return impl_->tokenizer.begin_id(); }
std::int32_t Tokenizer::end_id() const { return impl_->tokenizer.end_id(); }

}  // namespace dietmt
