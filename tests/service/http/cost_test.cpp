// Untrusted requests take time in proportion to their size.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/http/form_reader.h"
#include "service/http/request_reader.h"
#include "service/http/url.h"
#include "tests/common/cpu_cost.h"

namespace dietmt::service {
namespace {

class CostTest : public ::testing::Test {
 protected:
  // Reads requests that arrive in pieces, including refused ones.
  void read_requests(const std::string& bytes, size_t piece) {
    try {
      RequestReader reader(limits_, budget_);
      for (size_t at = 0; at < bytes.size();) {
        at += reader.feed(std::string_view(bytes).substr(at, piece));
        if (reader.stage() == RequestReader::Stage::kComplete) reader.take();
      }
    } catch (const RequestError&) {
    }
  }

  void read_parts(const std::string& body) {
    HttpRequest request{.head = {}, .body = std::make_unique<SpooledBytes>(budget_)};
    request.head.fields = {{"Content-Type", "multipart/form-data; boundary=x"}};
    request.body->append(body);
    try {
      read_form(request, body.size(), {.begin = [](const FormPart&) { return PartUse::kKeep; }});
    } catch (const RequestError&) {
    }
  }

  ReadLimits limits_{.head = 16384, .body = 1 << 30};
  SpoolBudget budget_{1 << 30, 1 << 30, 1 << 30, std::filesystem::temp_directory_path()};
};

TEST_F(CostTest, OfRequests) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::vector<std::pair<std::string, std::string>> inputs = {
      {"", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"", "\r\n"},
      {chunked, "1\r\na\r\n"},
      {chunked, "0000000000000001\r\na\r\n"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n", "\r\n\r\n"},
      {"GET / HTTP/1.1\r\nHost: a\r\nA: ", "a"},
      {"GET / HTTP/1.1\r\n", "A:\r\n"},
      {"GET /?", "%41=&"}};
  for (const auto& [begin, part] : inputs) {
    for (const size_t piece : {size_t{1}, size_t{100'000}}) {
      SCOPED_TRACE(begin + "..." + part + " in pieces of " + std::to_string(piece));
      const auto make = [&](size_t size) { return begin + repeated(part, size); };
      // A head has at most 16 KB.
      EXPECT_LE(cost_growth(piece == 1 ? 400'000 : 1'000'000, make,
                            [&](const std::string& bytes) { read_requests(bytes, piece); }),
                kLinearGrowth);
    }
  }
}

TEST_F(CostTest, OfForms) {
  const std::string part = "--x\r\nContent-Disposition: form-data; name=";
  for (const auto& [begin, middle] :
       std::vector<std::pair<std::string, std::string>>{{"", part + "a\r\n\r\nb\r\n"},
                                                        {"", part + "file; filename=a\r\n\r\n\r\n"},
                                                        {part + "a\r\n\r\n", "\r\n--"},
                                                        {part + "a\r\n\r\n", "\r"},
                                                        {part + "a\r\n\r\n", "\r\n--x \t"},
                                                        {part + "a\r\n\r\n", "text"},
                                                        {part, ";a=b"},
                                                        {"", "\r\n"}}) {
    SCOPED_TRACE(begin + "..." + middle);
    const auto make = [&](size_t size) { return begin + repeated(middle, size) + "\r\n--x--\r\n"; };
    EXPECT_LE(cost_growth(500'000, make, [&](const std::string& body) { read_parts(body); }),
              kLinearGrowth);
  }
}

TEST_F(CostTest, OfFieldsInAddressesAndBodies) {
  for (const char* part : {"a=b&", "&", "%41", "%", "=", "a", "+"}) {
    SCOPED_TRACE(part);
    EXPECT_LE(cost_growth(
                  500'000, [&](size_t size) { return repeated(part, size); },
                  [](const std::string& text) { parse_form(text); }),
              kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::service
