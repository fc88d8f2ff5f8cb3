#include "benchmark_shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

// Keeps each repetition's time, and passes everything on to the JSON, which has one head and one end however
// often benchmarks are run.
class Recorder : public benchmark::BenchmarkReporter {
  public:
    bool open(const char *json_path) {
        file_.open(json_path);
        json_.reset(new benchmark::JSONReporter);
        json_->SetOutputStream(&file_);
        json_->SetErrorStream(&file_);
        return file_.good();
    }

    bool ReportContext(const Context &context) override {
        if (json_ && !has_head_) json_->ReportContext(context);
        has_head_ = true;
        return true;
    }

    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            bool wall_clock = run.run_name.time_type == "real_time";
            double nanoseconds = wall_clock ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime();
            times_[run.run_name.function_name].push_back(nanoseconds);
        }
        if (json_) json_->ReportRuns(runs);
    }

    // The median of a row's repetitions, which are then forgotten.
    double takeMedian(const char *name) {
        std::vector<double> times = std::move(times_[name]);
        times_.erase(name);
        if (times.empty()) return 0;
        std::sort(times.begin(), times.end());
        size_t middle = times.size() / 2;
        return times.size() % 2 ? times[middle] : 0.5 * (times[middle - 1] + times[middle]);
    }

    bool finish() {
        if (!json_) return true;
        if (has_head_) json_->Finalize();
        file_.close();
        return file_.good();
    }

  private:
    std::ofstream file_;
    std::unique_ptr<benchmark::JSONReporter> json_;
    bool has_head_ = false;
    std::map<std::string, std::vector<double>> times_;
};

void addCounters(benchmark::State &state, const bench_row &row) {
    using benchmark::Counter;
    // Seconds a billionth of a joint are nanoseconds a joint.
    Counter::Flags per_tick =
        static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert);
    state.counters["ns_per_joint"] = Counter(row.joints * 1e-9, per_tick);
    for (uint32_t i = 0; i < row.counter_count; i++)
        state.counters[row.counters[i].name] = row.counters[i].value;
}

void addRow(const bench_row &row) {
    auto *benchmark = benchmark::RegisterBenchmark(row.name, [row](benchmark::State &state) {
        for (auto _ : state) row.tick(row.user);
        addCounters(state, row);
    });
    if (row.wall_clock) benchmark->UseRealTime();
}

// As flags, not on each benchmark: there they would become part of its name.
void initialize(const bench_settings &settings) {
    static char program[] = "posemill-bench"; // kept by the library
    std::vector<std::string> flags = {"--benchmark_enable_random_interleaving=true",
                                      "--benchmark_repetitions=" + std::to_string(settings.repetitions),
                                      "--benchmark_min_time=" + std::to_string(settings.seconds)};
    std::vector<char *> arguments = {program};
    for (std::string &flag : flags) arguments.push_back(&flag[0]);
    int argument_count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&argument_count, arguments.data());
}

} // namespace

struct bench_session {
    Recorder recorder;
};

bench_session *bench_session_create(const bench_settings *settings) {
    std::unique_ptr<bench_session> session(new bench_session);
    if (settings->json_path && !session->recorder.open(settings->json_path)) return nullptr;
    for (const char *const *text = settings->context; text && *text; text += 2)
        benchmark::AddCustomContext(text[0], text[1]);
    initialize(*settings);
    return session.release();
}

void bench_session_measure(bench_session *session, const bench_row *rows, uint32_t row_count,
                           double *median_ns) {
    for (uint32_t i = 0; i < row_count; i++) addRow(rows[i]);
    benchmark::RunSpecifiedBenchmarks(&session->recorder, ".");
    benchmark::ClearRegisteredBenchmarks();
    for (uint32_t i = 0; i < row_count; i++) median_ns[i] = session->recorder.takeMedian(rows[i].name);
}

bool bench_session_finish(bench_session *session) {
    std::unique_ptr<bench_session> owner(session);
    return session->recorder.finish();
}
