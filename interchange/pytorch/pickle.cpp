#include "interchange/pytorch/pickle.h"

#include <string>

#include "common/error.h"
#include "interchange/pytorch/pickle_opcodes.h"

namespace dietmt::interchange {
namespace {

using namespace opcodes;
using Kind = PickleValue::Kind;

constexpr int64_t kMostSteps = 4'000'000;  // 100'000 tensors, or vocabularies with their counts
constexpr uint64_t kNewestProtocol = 5;

[[noreturn]] void damaged(const std::string& what) { throw CheckpointError("is damaged: " + what); }

}  // namespace

Pickle::Pickle(std::string_view bytes, ForeignClasses foreign) : bytes_(bytes), foreign_(foreign) {
  if (number(1) != kProtocol) damaged("its pickle does not begin with a protocol");
  if (number(1) > kNewestProtocol) throw CheckpointError("has a pickle of an unknown protocol");
  for (int64_t step = 0; step < kMostSteps; ++step) {
    const auto opcode = static_cast<uint8_t>(number(1));
    if (opcode == kStop) {
      root_ = pop();
      return;
    }
    if (!push_constant(opcode) && !change_collection(opcode) && !use_memo(opcode) &&
        !make_object(opcode))
      damaged("its pickle has the unknown opcode " + std::to_string(opcode));
  }
  throw CheckpointError("has a pickle with more steps than any state dict needs");
}

std::span<const PickleValue> Pickle::items(const PickleValue& value) const {
  if (value.kind != Kind::kSequence && value.kind != Kind::kDict && value.kind != Kind::kRecord)
    damaged("its pickle has one value where several are needed");
  return collections_[static_cast<size_t>(value.number)];
}

std::string_view Pickle::take(uint64_t count) {
  if (count > bytes_.size() - at_) damaged("its pickle ends too early");
  at_ += count;
  return bytes_.substr(at_ - count, count);
}

uint64_t Pickle::number(uint64_t bytes) {
  uint64_t value = 0;
  const std::string_view taken = take(bytes);
  for (size_t i = 0; i < taken.size(); ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(taken[i])) << (8 * i);
  return value;
}

std::string_view Pickle::line() {
  const size_t end = bytes_.find('\n', at_);
  if (end == bytes_.npos) damaged("its pickle ends too early");
  const std::string_view text = take(end - at_);
  take(1);
  return text;
}

void Pickle::push_long(std::string_view bytes) {
  if (bytes.size() > sizeof(uint64_t)) return push({Kind::kLong, 0, bytes});
  uint64_t value = !bytes.empty() && static_cast<int8_t>(bytes.back()) < 0 ? ~uint64_t{0} : 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  push(Kind::kNumber, static_cast<int64_t>(value));
}

void Pickle::push_collection(Kind kind, std::vector<PickleValue> items) {
  collections_.push_back(std::move(items));
  push(kind, std::ssize(collections_) - 1);
}

PickleValue& Pickle::top() {
  if (stack_.size() <= begin_of_frame())
    damaged("its pickle takes more values than its stack holds");
  return stack_.back();
}

PickleValue Pickle::pop() {
  const PickleValue value = top();
  stack_.pop_back();
  return value;
}

std::vector<PickleValue> Pickle::pop_last(size_t count) {
  if (stack_.size() - begin_of_frame() < count)
    damaged("its pickle takes more values than its stack holds");
  const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<PickleValue> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  return items;
}

std::vector<PickleValue> Pickle::pop_to_mark() {
  if (marks_.empty()) damaged("its pickle has no mark to pop to");
  std::vector<PickleValue> items = pop_last(stack_.size() - marks_.back());
  marks_.pop_back();
  return items;
}

void Pickle::append(Kind kind, const std::vector<PickleValue>& items) {
  if (top().kind == Kind::kForeign || top().kind == Kind::kRecord) return;
  if (top().kind != kind || (kind == Kind::kDict && items.size() % 2 != 0))
    damaged("its pickle adds items to something other than a list or dictionary");
  std::vector<PickleValue>& all = collections_[static_cast<size_t>(top().number)];
  all.insert(all.end(), items.begin(), items.end());
}

bool Pickle::push_constant(uint8_t opcode) {
  switch (opcode) {
    case kNone:
      push(Kind::kNone, 0);
      return true;
    case kNewTrue:
      push(Kind::kBool, 1);
      return true;
    case kNewFalse:
      push(Kind::kBool, 0);
      return true;
    case kBinInt:
      push_long(take(4));
      return true;
    case kBinInt1:
      push(Kind::kNumber, static_cast<int64_t>(number(1)));
      return true;
    case kBinInt2:
      push(Kind::kNumber, static_cast<int64_t>(number(2)));
      return true;
    case kLong1:
      push_long(take(number(1)));
      return true;
    case kLong4:
      push_long(take(number(4)));
      return true;
    case kShortBinString:
    case kShortBinUnicode:
      push_text(take(number(1)));
      return true;
    case kBinString:
    case kBinUnicode:
      push_text(take(number(4)));
      return true;
    case kBinUnicode8:
      push_text(take(number(8)));
      return true;
    case kBinFloat:
      push({Kind::kFloat, 0, take(8)});
      return true;
    case kShortBinBytes:
      push({Kind::kOther, 0, take(number(1))});
      return true;
    case kBinBytes:
      push({Kind::kOther, 0, take(number(4))});
      return true;
    case kBinBytes8:
      push({Kind::kOther, 0, take(number(8))});
      return true;
    case kFrame:
      take(8);
      return true;
    default:
      return false;
  }
}

bool Pickle::change_collection(uint8_t opcode) {
  switch (opcode) {
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    case kPop:
      pop();
      return true;
    case kEmptyTuple:
    case kEmptyList:
      push_collection(Kind::kSequence, {});
      return true;
    case kEmptyDict:
      push_collection(Kind::kDict, {});
      return true;
    case kTuple:
      push_collection(Kind::kSequence, pop_to_mark());
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      push_collection(Kind::kSequence, pop_last(static_cast<size_t>(opcode - kTuple1 + 1)));
      return true;
    case kAppend:
      append(Kind::kSequence, pop_last(1));
      return true;
    case kAppends:
      append(Kind::kSequence, pop_to_mark());
      return true;
    case kSetItem:
      append(Kind::kDict, pop_last(2));
      return true;
    case kSetItems:
      append(Kind::kDict, pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool Pickle::use_memo(uint8_t opcode) {
  const auto get = [&](uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) damaged("its pickle refers to an unknown value");
    push(found->second);
    return true;
  };
  const auto put = [&](uint64_t place) {
    memo_[place] = top();
    return true;
  };
  switch (opcode) {
    case kBinGet:
      return get(number(1));
    case kLongBinGet:
      return get(number(4));
    case kBinPut:
      return put(number(1));
    case kLongBinPut:
      return put(number(4));
    case kMemoize:
      return put(memo_.size());
    default:
      return false;
  }
}

bool Pickle::make_object(uint8_t opcode) {
  switch (opcode) {
    case kGlobal: {
      const std::string_view module = line();
      push(pickled_class(module, line(), foreign_));
      return true;
    }
    case kStackGlobal: {
      const std::vector<PickleValue> names = pop_last(2);
      push(pickled_class(names[0].text, names[1].text, foreign_));
      return true;
    }
    case kBinPersistentId:
      persistent_id();
      return true;
    case kReduce:
    case kNewObject:
      call();
      return true;
    case kBuild:
      set_attributes();
      return true;
    default:
      return false;
  }
}

void Pickle::persistent_id() {
  const std::span<const PickleValue> id = items(pop());
  const bool viewed = id.size() > 5 && id[5].kind != Kind::kNone;
  push(tensors_.storage(id, viewed ? items(id[5]) : std::span<const PickleValue>()));
}

void Pickle::call() {
  const std::span<const PickleValue> arguments = items(pop());
  const PickleValue called = pop();
  if (called.kind == Kind::kForeign) return push_collection(Kind::kRecord, {});
  if (PickledTensors::makes_dict(called)) {
    if (!arguments.empty()) damaged("its pickle fills an OrderedDict while making it");
    return push_collection(Kind::kDict, {});
  }
  const bool sized = arguments.size() >= 4;
  const std::span<const PickleValue> none;
  push(tensors_.tensor(called, arguments, sized ? items(arguments[2]) : none,
                       sized ? items(arguments[3]) : none));
}

void Pickle::set_attributes() {
  const PickleValue state = pop();
  if (top().kind == Kind::kRecord)
    return collections_[static_cast<size_t>(top().number)].push_back(state);
  // The attributes of an OrderedDict are module versions.
  if (top().kind != Kind::kDict && top().kind != Kind::kForeign)
    damaged("its pickle sets attributes of something other than a dictionary");
}

}  // namespace dietmt::interchange
