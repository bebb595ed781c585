// Published Python clients of LibreTranslate, unmodified, against the service.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

constexpr const char* kLibreTranslatePy = R"(
import sys, urllib.error
from libretranslatepy import LibreTranslateAPI

url = sys.argv[1]
client = LibreTranslateAPI(url, api_key="secret-of-a-test")
assert client.translate("one. two!\n three", "en", "de") == "ONE. TWO!\n THREE"
assert client.translate("ä & ö = ü + %41", "auto", "de") == "ä & ö = ü + %41"
assert client.translate("long " * 5000, "en", "de", timeout=60)
assert client.detect("Где он был вчера?")[0]["language"] == "ru"
assert {"code": "en", "name": "English", "targets": ["de"]} in client.languages()
for key, status in ((None, 401), ("wrong", 403)):
    try:
        LibreTranslateAPI(url, api_key=key).translate("a", "en", "de")
        raise SystemExit("served without a key")
    except urllib.error.HTTPError as error:
        assert error.code == status, error.code
print("all as expected")
)";

constexpr const char* kDeepTranslator = R"(
import sys
from deep_translator import LibreTranslator
from deep_translator.exceptions import AuthorizationException

url = sys.argv[1] + "/"
client = LibreTranslator(source="en", target="de", custom_url=url, api_key="secret-of-a-test")
assert client.translate("one. two! ä & %41") == "ONE. TWO! ä & %41"
assert client.translate_batch(["a", "b"]) == ["A", "B"]
assert LibreTranslator(source="auto", target="de", custom_url=url,
                       api_key="secret-of-a-test").translate("The weather was fine.")
try:
    LibreTranslator(source="en", target="de", custom_url=url, api_key="wrong").translate("a")
    raise SystemExit("served with a wrong key")
except AuthorizationException:
    pass
print("all as expected")
)";

// A command's output and exit status.
std::pair<std::string, int> output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  return {text, pclose(pipe)};
}

// The Python that runs the clients: DIETMT_PYTHON, the environment that `scripts/setup
// test-packages` makes, or the system's.
std::string client_python() {
  if (const char* named = std::getenv("DIETMT_PYTHON")) return named;
  const std::string own = DIETMT_CLIENTS "/bin/python";
  return std::filesystem::exists(own) ? own : "python3";
}

class LibreTranslateClientTest : public ScratchTest {
 protected:
  void run(const std::string& package, const std::string& script) {
    const std::string python = client_python();
    if (output_of(python + " -c 'import " + package + "'").second != 0)
      GTEST_SKIP() << python << " has no package " << package
                   << "; scripts/setup test-packages installs it, or name another Python in "
                      "DIETMT_PYTHON";
    const TestServer server({.api = {.api_keys = write("keys", "secret-of-a-test,test,0\n")}});
    const auto [text, status] = output_of(python + " " + write("client.py", script) +
                                          " http://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(status, 0) << text;
    EXPECT_EQ(text, "all as expected\n");
  }
};

TEST_F(LibreTranslateClientTest, LibreTranslatePyWorksUnchanged) {
  run("libretranslatepy", kLibreTranslatePy);
}

TEST_F(LibreTranslateClientTest, DeepTranslatorWorksUnchanged) {
  run("deep_translator", kDeepTranslator);
}

}  // namespace
}  // namespace dietmt::service
