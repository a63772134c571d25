#include "engine/memory/run.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/memory/texts.h"

namespace kith::memory {
namespace {

// Rows that one thread takes at a time, before it checks whether to stop.
constexpr std::int64_t kStretch = std::int64_t{1} << 17;
// For fewer, a thread takes longer to start than it saves.
constexpr std::int64_t kRowsOfThread = std::int64_t{1} << 22;

struct Stretch {
  std::size_t batch;
  std::int64_t first, end;
};

std::vector<Stretch> Stretches(const Frame& frame) {
  std::vector<Stretch> all;
  for (std::size_t k = 0; k < frame.batches(); ++k) {
    const std::int64_t length = frame.batch(k).length;
    for (std::int64_t first = 0; first < length; first += kStretch)
      all.push_back({k, first, std::min(length, first + kStretch)});
  }
  return all;
}

// Rows count from the batch's first.
std::vector<StoredColumn> ColumnsOf(const Program& program, const Frame& frame, std::size_t number,
                                    const Codings& codings) {
  const ArrowArray& batch = frame.batch(number);
  std::vector<StoredColumn> columns(frame.columns().size());
  for (const Step& step : program.steps) {
    if (step.what == Do::kCode) columns[step.place].coded = codings.Of(number, step.place);
    if (step.what != Do::kColumn) continue;
    const FrameColumn& column = frame.columns()[step.place];
    const ArrowArray& array = *batch.children[step.place];
    const bool has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
    columns[step.place] = {column.type,
                           column.bytes,
                           column.is_signed,
                           static_cast<const char*>(array.buffers[1]),
                           has_nulls ? static_cast<const std::uint8_t*>(array.buffers[0]) : nullptr,
                           batch.offset + array.offset};
  }
  return columns;
}

}  // namespace

IntegerTable TableOf(const Program& program, const std::vector<Int128>& sums) {
  const std::size_t keys = program.sizes.size(), totals = program.totals.size();
  IntegerTable table;
  table.columns = keys + program.outputs.size();
  for (std::size_t g = 0; g < program.groups(); ++g) {
    const Int128* own = sums.data() + g * totals;
    if (keys > 0 && own[0] == 0) continue;
    auto& row = table.rows.emplace_back(table.columns);
    std::size_t rest = g;
    for (std::size_t k = keys; k-- > 0;) {
      const auto size = static_cast<std::size_t>(program.sizes[k]);
      row[k] = static_cast<Int128>(rest % size);
      rest /= size;
    }
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
      const Output& output = program.outputs[k];
      row[keys + k] = own[output.total] - output.each * own[output.counted];
    }
  }
  return table;
}

kith::Result<IntegerTable> Run(const Program& program, const Frame& frame, int threads, const CancelFlag& cancel,
                               Lane lane) {
  const std::vector<Stretch> stretches = Stretches(frame);
  const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(frame.rows() / kRowsOfThread, 1, threads));
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::size_t k = 0; k < wanted; ++k) machines.push_back(std::make_unique<Machine>(program, lane));
  const Codings codings(program, frame);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Machine& machine) {
    for (std::size_t k = next++; k < stretches.size() && !cancel.cancelled(); k = next++)
      machine.Take(ColumnsOf(program, frame, stretches[k].batch, codings), stretches[k].first, stretches[k].end);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < wanted; ++k) others.emplace_back([&, k] { work(*machines[k]); });
    work(*machines[0]);
  }
  if (cancel.cancelled()) return Cancelled("stopped while rows were read");
  for (std::size_t k = 1; k < wanted; ++k) machines[0]->Join(*machines[k]);
  return TableOf(program, machines[0]->sums());
}

}  // namespace kith::memory
