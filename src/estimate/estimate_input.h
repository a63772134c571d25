// Studies from files (CSV, TSV, packed with gzip or not, Parquet) as samples that strengths are estimated from.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "estimate/estimate.h"

namespace kith::estimate {

/// Where a study is and what its columns mean. What a kind of study has no use for stays empty.
struct StudyFile {
  std::string path;
  std::string left, right;                     // pairs: one column for each of the two
  std::string by;                              // groups, chains: the column that distinguishes them
  std::string order;                           // chains: the column that orders steps
  std::string id;                              // networks: the column that names people
  std::vector<std::string> ids;                // distances: the columns that name the one and the other
  std::string value;                           // groups, chains, networks
  std::string stratum;                         // a public column; of a network the class of a node
  std::string yes;                             // what counts as yes; empty: yes, true, t, y, 1
  std::vector<std::string> left_at, right_at;  // distances: a column for each axis, of the one and of the other
  std::vector<std::vector<double>> axes;       // distances: the places
  std::string edges;                           // networks: a file whose first two columns name people
  bool exchangeable = false;                   // pairs: nothing says which of the two comes first
  bool common = false;  // groups: one odds ratio, whatever the others are; a pair of each group is looked at
};

struct Study {
  estimate::Sample sample;
  std::int64_t size = 0;      // the largest group, the longest chain, or the nodes of the network
  std::int64_t left_out = 0;  // pairs, groups, values, edges: something is missing
  estimate::Network network;  // of a network
};

/// The names of a file's columns. Fails: kInvalidArgument (no such file, unknown kind), kStorage, kCancelled.
Result<std::vector<std::string>> ColumnsOf(const std::string& path, const CancelFlag& cancel);

/// Fails: kInvalidArgument (no such file or column, values that are neither yes nor no, too many strata or values, a
/// stratum that differs within a group, an order with ties, people in two pairs of places), kStorage, kCancelled.
Result<Study> ReadPairs(const StudyFile& file, const CancelFlag& cancel);
Result<Study> ReadGroups(const StudyFile& file, const CancelFlag& cancel);
Result<Study> ReadSteps(const StudyFile& file, const CancelFlag& cancel);
Result<Study> ReadPlaces(const StudyFile& file, const CancelFlag& cancel);
Result<Study> ReadNetwork(const StudyFile& file, const CancelFlag& cancel);

}  // namespace kith::estimate
