#include "tests/service/http/test_client.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>

namespace dietmt::service {

std::string TestResponse::field(const std::string& name) const {
  const size_t begin = head.find("\r\n" + name + ": ");
  if (begin == std::string::npos) return "";
  const size_t value = begin + name.size() + 4;
  return head.substr(value, head.find("\r\n", value) - value);
}

TestClient::TestClient(int port, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) {
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const timeval patience = {60, 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

void TestClient::start_tls() {
  context_.reset(SSL_CTX_new(TLS_client_method()));
  session_.reset(SSL_new(context_.get()));
  SSL_set_fd(session_.get(), socket_.number());
  if (SSL_connect(session_.get()) != 1) throw std::runtime_error("the TLS handshake failed");
}

std::string TestClient::server_name() const {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(session_.get()), X509_free);
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                            sizeof name);
  return name;
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = session_ ? SSL_write(session_.get(), bytes.data(), int(bytes.size()))
                               : ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0 && errno == EAGAIN) throw std::runtime_error("the server does not read");
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool TestClient::fill() {
  char buffer[65536];
  const ssize_t n = session_ ? SSL_read(session_.get(), buffer, sizeof buffer)
                             : ::recv(socket_.number(), buffer, sizeof buffer, 0);
  if (n < 0 && errno == EAGAIN) throw std::runtime_error("the server sends nothing");
  if (n > 0) received_.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

std::string TestClient::receive(size_t count) {
  if (received_.empty()) fill();
  const std::string taken = received_.substr(0, count);
  received_.erase(0, taken.size());
  return taken;
}

TestResponse TestClient::response(bool of_head_request) {
  TestResponse response;
  size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  response.head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  const bool chunked = response.field("Transfer-Encoding") == "chunked";
  const auto take = [&](size_t count) {
    while (received_.size() < count) {
      if (!fill()) return false;
    }
    response.body += received_.substr(0, count);
    received_.erase(0, count);
    return true;
  };
  const std::string length = response.field("Content-Length");
  if (!of_head_request && !length.empty() && !take(std::stoul(length))) return {};
  while (!of_head_request && chunked) {
    while (received_.find("\r\n") == std::string::npos) {
      if (!fill()) return {};
    }
    const size_t size = std::stoul(received_, nullptr, 16);
    received_.erase(0, received_.find("\r\n") + 2);
    if (!take(size + 2)) return {};
    response.body.resize(response.body.size() - 2);
    if (size == 0) break;
  }
  response.status = std::stoi(response.head.substr(9, 3));
  return response;
}

bool TestClient::ended() { return received_.empty() && !fill(); }

void TestClient::finish_sending() { ::shutdown(socket_.number(), SHUT_WR); }

void TestClient::reset() {
  const linger at_once = {1, 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_ = FileDescriptor();
}

std::string get(const std::string& path, const std::string& fields) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string post(const std::string& path, std::string_view body, const std::string& fields) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + std::string(body);
}

int64_t process_memory(const std::string& member) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(member + ":", 0) == 0) return std::stoll(line.substr(member.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace dietmt::service
