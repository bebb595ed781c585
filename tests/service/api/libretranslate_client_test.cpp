// The published Python client of LibreTranslate, unchanged, against the service. Python is
// `python3` or what the environment variable DIETMT_PYTHON names.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

constexpr const char* kScript = R"(
import sys, urllib.error
from libretranslatepy import LibreTranslateAPI

url = sys.argv[1]
client = LibreTranslateAPI(url, api_key="secret")
assert client.translate("one. two!\n three", "en", "de") == "ONE. TWO!\n THREE"
assert client.translate("ä & ö = ü + %41", "auto", "de") == "ä & ö = ü + %41"
assert client.translate("long " * 5000, "en", "de", timeout=60)
assert client.detect("Где он?") == [{"confidence": 100.0, "language": "ru"}]
assert {"code": "en", "name": "English", "targets": ["de"]} in client.languages()
for key, status in ((None, 401), ("wrong", 403)):
    try:
        LibreTranslateAPI(url, api_key=key).translate("a", "en", "de")
        raise SystemExit("served without a key")
    except urllib.error.HTTPError as error:
        assert error.code == status, error.code
print("all as expected")
)";

// What a command writes, and its exit status.
std::pair<std::string, int> output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  return {text, pclose(pipe)};
}

class LibreTranslateClientTest : public ScratchTest {};

TEST_F(LibreTranslateClientTest, WorksUnchanged) {
  const char* named = std::getenv("DIETMT_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (output_of(python + " -c 'import libretranslatepy'").second != 0)
    GTEST_SKIP() << python << " has no package libretranslatepy (pip install libretranslatepy, or "
                 << "name another Python in DIETMT_PYTHON)";
  const TestServer server({.api = {.api_keys = write("keys", "secret,test,0\n")}});
  const std::string script = write("client.py", kScript);
  const auto [text, status] =
      output_of(python + " " + script + " http://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(status, 0) << text;
  EXPECT_EQ(text, "all as expected\n");
}

}  // namespace
}  // namespace dietmt::service
