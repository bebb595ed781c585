// A pipe in place of standard input.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

namespace dietmt {

class StandardInput {
 public:
  StandardInput() : saved_(::dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    write_end_ = ends[1];
  }
  ~StandardInput() {
    close();
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  void send(std::string_view bytes) {
    EXPECT_EQ(::write(write_end_, bytes.data(), bytes.size()), std::ssize(bytes));
  }

  /// Ends the input.
  void close() {
    if (write_end_ >= 0) ::close(write_end_);
    write_end_ = -1;
  }

 private:
  int saved_;
  int write_end_ = -1;
};

}  // namespace dietmt
