// TLS with a certificate made by the test.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/common/soon.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

class TlsTest : public ScratchTest {
 protected:
  // Writes NAME.key and NAME.crt for `subject`.
  void make_certificate(const std::string& name, const std::string& subject = "localhost") {
    const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const Certificate certificate(X509_new(), X509_free);
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* full_name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(full_name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), full_name);
    ASSERT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
    const File key_file(std::fopen(path(name + ".key").c_str(), "w"), std::fclose);
    PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    const File certificate_file(std::fopen(path(name + ".crt").c_str(), "w"), std::fclose);
    PEM_write_X509(certificate_file.get(), certificate.get());
  }

  std::string path(const std::string& name) const { return (scratch() / name).string(); }

  HttpOptions options() {
    make_certificate("server");
    HttpOptions options;
    options.certificate_file = path("server.crt");
    options.key_file = path("server.key");
    options.max_body = 16 << 20;
    options.head_timeout = std::chrono::milliseconds(500);
    return options;
  }
};

TEST_F(TlsTest, ServesRequests) {
  EchoServer server(options());
  TestClient client(server.start());
  client.start_tls();
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
  EXPECT_EQ(client.ask(post("/echo", "again")).body, "again");
}

TEST_F(TlsTest, LargeBodiesPassBothWays) {
  EchoServer server(options());
  TestClient client(server.start());
  client.start_tls();
  std::string body(10 << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>(i / 1000);
  EXPECT_TRUE(client.ask(post("/echo", body)).body == body);
}

TEST_F(TlsTest, PipelinedRequestsInOneRecordAreAllAnswered) {
  EchoServer server(options());
  TestClient client(server.start());
  client.start_tls();
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += post("/echo", std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.response().body, std::to_string(i));
}

TEST_F(TlsTest, ClosesWithANotice) {
  EchoServer server(options());
  TestClient client(server.start());
  client.start_tls();
  EXPECT_EQ(client.ask(get("/hello", "Connection: close\r\n")).body, "hello");
  EXPECT_TRUE(client.ended());
}

TEST_F(TlsTest, StalledAndFailedHandshakesDoNotDisturbOthers) {
  EchoServer server(options());
  const int port = server.start();
  TestClient silent(port);
  TestClient plain(port);
  plain.send(get("/hello"));
  TestClient client(port);
  client.start_tls();
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
  EXPECT_TRUE(soon([&] { return server.counters().failed_handshakes == 1; }));
  EXPECT_TRUE(silent.ended());
}

TEST_F(TlsTest, ANewCertificateServesNewConnections) {
  EchoServer server(options());
  const int port = server.start();
  const auto shown = [port] {
    TestClient client(port);
    client.start_tls();
    return client.server_name();
  };
  TestClient old(port);
  old.start_tls();
  EXPECT_EQ(old.server_name(), "localhost");
  make_certificate("server", "renewed");
  EXPECT_EQ(shown(), "localhost");
  server.reload_certificate();
  EXPECT_EQ(shown(), "renewed");
  EXPECT_EQ(old.ask(get("/hello")).body, "hello");
}

TEST_F(TlsTest, ABrokenNewCertificateKeepsTheOldOne) {
  EchoServer server(options());
  const int port = server.start();
  write("server.crt", "-----BEGIN CERTIFICATE-----\nnone\n");
  try {
    server.reload_certificate();
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("server.crt"), std::string::npos) << error.what();
  }
  make_certificate("other");
  std::filesystem::copy_file(path("other.crt"), path("server.crt"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(server.reload_certificate(), ConfigError);  // the key of another certificate
  TestClient client(port);
  client.start_tls();
  EXPECT_EQ(client.server_name(), "localhost");
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST_F(TlsTest, ReloadingWithoutTlsDoesNothing) {
  EchoServer server;
  server.reload_certificate();
  EXPECT_EQ(TestClient(server.start()).ask(get("/hello")).body, "hello");
}

TEST_F(TlsTest, MessagesNameTheWrongFile) {
  HttpOptions good = options();
  make_certificate("other");
  const auto message = [](const HttpOptions& options) -> std::string {
    try {
      EchoServer server(options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  HttpOptions bad = good;
  bad.certificate_file = path("missing.crt");
  EXPECT_NE(message(bad).find("missing.crt"), std::string::npos) << message(bad);
  bad = good;
  bad.key_file = path("server.crt");
  EXPECT_NE(message(bad).find("server.crt"), std::string::npos) << message(bad);
  bad = good;
  bad.key_file = path("other.key");
  EXPECT_NE(message(bad).find("other.key"), std::string::npos) << message(bad);
  bad = good;
  bad.key_file = "";
  EXPECT_NE(message(bad).find("both"), std::string::npos) << message(bad);
}

}  // namespace
}  // namespace dietmt::service
