// Whether a declared dependence model makes sense, before anything is computed from it.
#pragma once
#include "base/result.h"
#include "dependence/model.h"

namespace kith {

/// Limits. They keep the arithmetic in range and the work bounded; an error names the one that was passed.
inline constexpr std::int64_t kMaxGroupSize = 1'000'000'000;
inline constexpr std::int64_t kMaxChainLength = 100'000'000;
inline constexpr std::int64_t kMaxRegionSteps = 1'000'000;  // length times seasons, where laws form a region
inline constexpr std::int64_t kMaxValues = 64;              // of one record of a chain, tree, star or joint law
inline constexpr std::size_t kMaxJointStates = 4096;        // 12 yes/no records
inline constexpr std::size_t kMaxInfluenceRecords = 200;
inline constexpr std::int64_t kMaxDegree = 1'000'000'000;     // declared, in a model of pairs
inline constexpr std::int64_t kMaxLinkedRecords = 1'000'000;  // listed one by one in a model of pairs
/// Written probabilities may miss the sum 1 by their last digits: by at most this much. What is meant is the normalised
/// law.
inline constexpr double kProbabilitySlack = 1e-9;

/// Fails: kInvalidArgument, with what is wrong, in which part of the model, and what to do.
Result<void> Check(const Model& model);

/// The law that a checked list of probabilities means: divided by its sum. Each comes out within a factor 1 +- 2^-52.
Law Normalised(Law law);

/// True if every eigenvalue of the non-negative matrix, without row and column `without`, is below 1 in absolute value.
/// `without` = size: the whole matrix. A matrix so close to 1 that rounding decides counts as not below.
bool SpectralRadiusBelowOne(const std::vector<std::vector<double>>& matrix, std::size_t without);

}  // namespace kith
