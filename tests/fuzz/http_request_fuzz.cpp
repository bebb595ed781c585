// Bytes of a connection, given to the request reader at once and in pieces: both must see the same
// requests, and what the reader passes on must be a request that it reads again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/message.h"
#include "service/http/request_reader.h"

namespace {

using dietmt::service::HttpRequest;
using dietmt::service::ReadLimits;
using dietmt::service::RequestFault;
using dietmt::service::RequestReader;
using dietmt::service::SpoolBudget;
using dietmt::service::SpooledBytes;

// Small limits, so that short inputs reach them.
const ReadLimits kLimits = {2048, 300, {{"/l", 900}, {"/lo", 20}}};

struct Seen {
  std::vector<std::string> requests;  // method, target, head and body of each
  bool fault = false;
  bool incomplete = false;
};

void require(bool condition) {
  if (!condition) std::abort();
}

std::string content(const SpooledBytes& body) {
  std::string bytes(body.size(), '\0');
  require(body.read(0, bytes.data(), bytes.size()) == bytes.size());
  return bytes;
}

std::string handed_on(const HttpRequest& request) {
  const std::string body = content(*request.body);
  const auto& head = request.head;
  std::string bytes = head.method + " " + head.target + (head.http_1_0 ? " HTTP/1.0" : " HTTP/1.1");
  for (const auto& [name, value] : head.fields) bytes += "\r\n" + name + ": " + value;
  return bytes + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// `piece`: bytes given at a time.
Seen read_all(std::string_view bytes, size_t piece, SpoolBudget& budget) {
  Seen seen;
  RequestReader reader(kLimits, budget);
  try {
    while (!bytes.empty()) {
      const std::string_view given = bytes.substr(0, piece);
      const size_t consumed = reader.feed(given);
      require(consumed <= given.size());
      require(consumed == given.size() || reader.stage() == RequestReader::Stage::kComplete);
      bytes.remove_prefix(consumed);
      if (reader.stage() == RequestReader::Stage::kComplete) {
        seen.requests.push_back(handed_on(reader.take()));
      }
    }
    seen.incomplete = reader.stage() != RequestReader::Stage::kEmpty;
  } catch (const RequestFault& fault) {
    require(fault.status() >= 400 && fault.status() < 600);
    require(reader.head().field("Origin").size() <= kLimits.head);
    seen.fault = true;
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  SpoolBudget budget{200, 250, 100000, std::filesystem::temp_directory_path()};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Seen at_once = read_all(bytes, std::max<size_t>(bytes.size(), 1), budget);
  const Seen in_pieces = read_all(bytes, size_t{data[0]} + 1, budget);
  require(at_once.requests == in_pieces.requests && at_once.fault == in_pieces.fault);
  require(at_once.fault || at_once.incomplete == in_pieces.incomplete);
  for (const std::string& request : at_once.requests) {
    if (request.size() > kLimits.head) continue;  // a space after each colon may make it longer
    const Seen again = read_all(request, request.size(), budget);
    require(!again.fault && again.requests == std::vector<std::string>{request});
  }
  require(budget.memory_used == 0 && budget.disk_used == 0);
  return 0;
}
