// Which requests the reader accepts and which it refuses.
#include "service/http/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/http/message.h"

namespace dietmt::service {
namespace {

class RequestReaderTest : public ::testing::Test {
 protected:
  // Returns the complete request or fails the test.
  HttpRequest read(std::string_view bytes) {
    RequestReader reader(limits_, budget_);
    EXPECT_EQ(reader.feed(bytes), bytes.size());
    EXPECT_EQ(reader.stage(), RequestReader::Stage::kComplete);
    return reader.take();
  }

  // The status of the refusal; 0 if the request is accepted.
  int fault(std::string_view bytes) {
    RequestReader reader(limits_, budget_);
    try {
      reader.feed(bytes);
    } catch (const RequestFault& fault) {
      return fault.status();
    }
    return 0;
  }

  int head_fault(const std::string& fields) {
    return fault("POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
  }

  int chunks_fault(const std::string& chunks) {
    return fault("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
  }

  static std::string content(const SpooledBytes& body) {
    std::string bytes(body.size(), '\0');
    EXPECT_EQ(body.read(0, bytes.data(), bytes.size()), bytes.size());
    return bytes;
  }

  ReadLimits limits_{16384, 1000, {{"/large", 100000}, {"/large/not", 10}}};
  SpoolBudget budget_{500, 100000, 100000, std::filesystem::temp_directory_path()};
};

TEST_F(RequestReaderTest, TakesAbsoluteTargets) {
  const RequestHead head = read("GET HTTP://own:80/a%20b?c=d HTTP/1.1\r\nHost: other\r\n\r\n").head;
  EXPECT_EQ(head.target, "/a%20b?c=d");
  EXPECT_EQ(head.path, "/a b");
  EXPECT_EQ(head.field("Host"), "own:80");
  EXPECT_EQ(read("GET http://own?c=d HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "/?c=d");
  EXPECT_EQ(read("GET ftp://own/a HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "ftp://own/a");
  EXPECT_EQ(read("GET /http://own HTTP/1.1\r\nHost: a\r\n\r\n").head.path, "/http://own");
}

TEST_F(RequestReaderTest, HidesTheFieldsOfTheConnection) {
  const HttpRequest request = read(
      "\r\nPOST /a?b=c HTTP/1.1\r\nHOST:x\r\nConnection: Close\r\nX-Own:  one two \r\n"
      "Content-Length: 3\r\nTE: trailers\r\n\r\nabc");
  EXPECT_EQ(request.head.method, "POST");
  EXPECT_EQ(request.head.fields, (Pairs{{"HOST", "x"}, {"X-Own", "one two"}}));
  EXPECT_EQ(request.head.target, "/a?b=c");
  EXPECT_FALSE(request.head.keep_alive);
  EXPECT_EQ(content(*request.body), "abc");
}

TEST_F(RequestReaderTest, StopsAtTheEndOfTheRequest) {
  RequestReader reader(limits_, budget_);
  const std::string first = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(reader.feed(first + "GET /2"), first.size());
  EXPECT_EQ(reader.take().head.target, "/1");
  EXPECT_EQ(reader.stage(), RequestReader::Stage::kEmpty);
}

TEST_F(RequestReaderTest, BytesMayArriveInAnyPieces) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;name=\"value\"\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    RequestReader reader(limits_, budget_);
    EXPECT_EQ(reader.feed(std::string_view(bytes).substr(0, cut)), cut);
    EXPECT_NE(reader.stage(), RequestReader::Stage::kComplete);
    EXPECT_EQ(reader.feed(std::string_view(bytes).substr(cut)), bytes.size() - cut);
    ASSERT_EQ(reader.stage(), RequestReader::Stage::kComplete) << "cut at " << cut;
    EXPECT_EQ(content(*reader.take().body), "abc0123456789");
  }
}

TEST_F(RequestReaderTest, RefusesRequestLines) {
  EXPECT_EQ(fault("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
  EXPECT_EQ(fault("\x16\x03\x01\x02"), 400);  // TLS
  EXPECT_EQ(fault("GET /\r\n\r\n"), 400);
  EXPECT_EQ(fault("GET  HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(fault("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(fault("GET / FTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(fault("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(fault("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 0) << "as HTTP/1.1";
  EXPECT_EQ(fault("GET / HTTP/1.2\r\n\r\n"), 400) << "HTTP/1.1 needs a host";
  EXPECT_EQ(fault("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 0) << "is read as 1.1";
  EXPECT_EQ(fault("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(fault("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"), 0) << "the handler refuses it";
  EXPECT_EQ(fault("GET /" + std::string(9000, 'a')), 414);
  EXPECT_EQ(fault("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
}

TEST_F(RequestReaderTest, RefusesHeaderFields) {
  EXPECT_EQ(fault("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host
  EXPECT_EQ(fault("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(head_fault("Host: b\r\n"), 400);
  EXPECT_EQ(head_fault("No colon\r\n"), 400);
  EXPECT_EQ(head_fault("Space : a\r\n"), 400);
  EXPECT_EQ(head_fault("A: b\r\n folded\r\n"), 400);
  EXPECT_EQ(head_fault(std::string("A: b\0c\r\n", 8)), 400);
  EXPECT_EQ(head_fault("A: b\rc\r\n"), 400);
  EXPECT_EQ(head_fault("A: b\nC: d\r\n"), 400);
  EXPECT_EQ(head_fault("A: " + std::string(8100, 'b') + "\r\n"), 431);
  EXPECT_EQ(head_fault("A: b\r\nC: " + std::string(17000, 'b')), 431);
  std::string fields;
  for (int i = 0; i < 101; ++i) fields += "A: b\r\n";
  EXPECT_EQ(head_fault(fields), 431);
  EXPECT_EQ(head_fault("Expect: miracles\r\n"), 417);
  EXPECT_EQ(head_fault("Content-Encoding: gzip\r\n"), 415);
}

TEST_F(RequestReaderTest, RefusesAmbiguousFraming) {
  EXPECT_EQ(head_fault("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: 1\r\nContent-Length: 1\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: 1, 1\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: +1\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: -1\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length:\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: 0x10\r\n"), 400);
  EXPECT_EQ(head_fault("Content-Length: 99999999999999999999\r\n"), 413);
  EXPECT_EQ(head_fault("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(head_fault("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(fault("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST_F(RequestReaderTest, RefusesMalformedChunks) {
  EXPECT_EQ(chunks_fault("1\r\na\r\n0\r\n\r\n"), 0);
  EXPECT_EQ(chunks_fault("\r\n"), 400);
  EXPECT_EQ(chunks_fault("-1\r\n"), 400);
  EXPECT_EQ(chunks_fault("0x1\r\n"), 400);
  EXPECT_EQ(chunks_fault("1\na"), 400);
  EXPECT_EQ(chunks_fault("1\r\nab"), 400);
  EXPECT_EQ(chunks_fault("1\r\na\n"), 400);
  EXPECT_EQ(chunks_fault("1;\n"), 400);
  EXPECT_EQ(chunks_fault("0\r\n\n"), 400);
  EXPECT_EQ(chunks_fault("ffffffffffffffffff\r\n"), 400);
  EXPECT_EQ(chunks_fault("fffffffffffffff\r\n"), 413);
  EXPECT_EQ(chunks_fault("3e9\r\n"), 413);  // 1001
  EXPECT_EQ(chunks_fault("1;" + std::string(20000, 'x')), 431);
}

TEST_F(RequestReaderTest, LimitsBodiesByPath) {
  const auto of_size = [](const std::string& path, int size) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n";
  };
  EXPECT_EQ(fault(of_size("/", 1000)), 0);
  EXPECT_EQ(fault(of_size("/", 1001)), 413);
  EXPECT_EQ(fault(of_size("/large/file?x", 100000)), 0);
  EXPECT_EQ(fault(of_size("/large", 100001)), 413);
  EXPECT_EQ(fault(of_size("/large/not", 11)), 413);
  EXPECT_EQ(fault(of_size("/large/n%6ft", 11)), 413);
}

TEST_F(RequestReaderTest, LargeBodiesGoToAFile) {
  std::string bytes(90000, 'x');
  bytes[499] = 'y';
  bytes[89999] = 'z';
  const HttpRequest large =
      read("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + bytes);
  EXPECT_TRUE(large.body->in_file());
  EXPECT_EQ(content(*large.body), bytes);
  EXPECT_EQ(budget_.memory_used, 0u);
  EXPECT_EQ(budget_.disk_used, 90000u);
  // The disk has no room for the second one.
  EXPECT_EQ(fault("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + bytes), 503);
}

TEST_F(RequestReaderTest, SmallBodiesGoToAFileWhenMemoryIsShort) {
  budget_.all_memory = 150;
  const std::string request =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x');
  {
    const HttpRequest first = read(request);
    const HttpRequest second = read(request);
    EXPECT_FALSE(first.body->in_file());
    EXPECT_TRUE(second.body->in_file());
  }
  EXPECT_EQ(budget_.memory_used, 0u);
  EXPECT_EQ(budget_.disk_used, 0u);
}

}  // namespace
}  // namespace dietmt::service
