// Synthetic data sets for trying kith without real data. One entry in Samples() for each: a name, what it looks like,
// and a function that writes its files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kith::cli {

struct SampleOptions {
  std::size_t users = 0;  // people, or whatever the data set is about
  std::uint64_t seed = 0;
  std::filesystem::path folder;  // exists
};

/// A file that was written, and what it holds.
struct SampleFile {
  std::string name;
  std::string what;
};

struct Sample {
  std::string name;
  std::string about;  // one line
  std::size_t users;  // unless asked otherwise
  Result<std::vector<SampleFile>> (*write)(const SampleOptions& options);
};

const std::vector<Sample>& Samples();

/// visits.csv and friends.csv: people of a city, heavy-tailed visits, friends who live near each other and meet.
Result<std::vector<SampleFile>> WriteGowallaLike(const SampleOptions& options);
/// adult.data: a census in the form of the UCI data set, with a label that a linear classifier can learn.
Result<std::vector<SampleFile>> WriteAdultLike(const SampleOptions& options);

}  // namespace kith::cli
