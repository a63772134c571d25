#include "release/stream/step_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kith {
namespace {

namespace fs = std::filesystem;

class StepFileTest : public ::testing::Test {
 protected:
  StepFileTest() : path_((fs::temp_directory_path() / ("kith_steps_" + std::to_string(getpid()))).string()) {
    fs::remove(path_);
  }
  ~StepFileTest() override { fs::remove(path_); }

  static StepFormat Format(const std::string& head = "step,text\n") {
    StepFormat format;
    format.head = head;
    format.same_head = true;
    format.lines = [](const Answer& step) { return std::to_string(step.step->tick) + ",a\n"; };
    format.tick_of = [](const std::string& line) -> std::optional<std::int64_t> { return std::stoll(line); };
    return format;
  }
  static Answer Step(std::int64_t tick) {
    Answer step;
    step.step.emplace().tick = tick;
    return step;
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const std::string path_;
};

TEST_F(StepFileTest, GoesOnAfterALineThatWasCutOff) {
  {
    auto file = StepFile::Open(path_, Format()).value();
    ASSERT_TRUE(file.Append(Step(0)));
    ASSERT_TRUE(file.Append(Step(3)));
  }
  std::ofstream(path_, std::ios::app) << "4";  // a crash in the middle of a line
  auto file = StepFile::Open(path_, Format()).value();
  EXPECT_EQ(Text(), "step,text\n0,a\n3,a\n");
  ASSERT_TRUE(file.Append(Step(3))) << "it has this one";
  ASSERT_TRUE(file.Append(Step(4)));
  EXPECT_EQ(Text(), "step,text\n0,a\n3,a\n4,a\n");
}

TEST_F(StepFileTest, HasOneWriter) {
  auto first = StepFile::Open(path_, Format()).value();
  EXPECT_EQ(StepFile::Open(path_, Format()).error().code, Code::kStorage);
  const StepFile moved = std::move(first);  // the lock moves with it
  EXPECT_EQ(StepFile::Open(path_, Format()).error().code, Code::kStorage);
}

TEST_F(StepFileTest, IsNotThatOfAnotherStream) {
  ASSERT_TRUE(StepFile::Open(path_, Format()));
  EXPECT_EQ(StepFile::Open(path_, Format("step,other\n")).error().code, Code::kInvalidArgument);
  EXPECT_EQ(StepFile::Open(path_ + "/no/folder", Format()).error().code, Code::kStorage);
  EXPECT_EQ(Text(), "step,text\n");
}

}  // namespace
}  // namespace kith
