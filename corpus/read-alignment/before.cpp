// Scores sequencing reads against their candidate regions with a local
// alignment (affine-free gaps); reads arrive ordered by length.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Job {
    std::string read, region;
    int score = 0;
};

int localScore(const std::string& a, const std::string& b) {
    std::vector<int> row(b.size() + 1, 0);
    int best = 0;
    for (char ca : a) {
        int diag = 0, left = 0;
        for (size_t j = 1; j <= b.size(); ++j) {
            int v = diag + (ca == b[j - 1] ? 2 : -1);
            diag = row[j];
            v = std::max({v, row[j] - 2, left - 2, 0});
            row[j] = left = v;
            best = std::max(best, v);
        }
    }
    return best;
}

std::vector<Job> makeJobs(int n) {
    uint32_t s = 77;
    auto next = [&s](uint32_t m) {
        s = s * 1664525u + 1013904223u;
        return (s >> 10) % m;
    };
    std::vector<int> length(n);
    for (int& l : length) l = 60 + int(next(40) * next(40)) / 2;
    std::sort(length.begin(), length.end());
    std::vector<Job> jobs(n);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < length[i]; ++k) jobs[i].read += "ACGT"[next(4)];
        jobs[i].region = jobs[i].read;
        for (char& c : jobs[i].region)
            if (next(8) == 0) c = "ACGT"[next(4)];
        jobs[i].region.insert(jobs[i].region.size() / 2, "GATTACA");
    }
    return jobs;
}

int main() {
    std::vector<Job> jobs = makeJobs(8000);
    const int n = int(jobs.size());
#pragma omp parallel for
    for (int i = 0; i < n; ++i) jobs[i].score = localScore(jobs[i].read, jobs[i].region);

    long sum = 0;
    for (const Job& j : jobs) sum += j.score;
    std::printf("%d reads, total score %ld\n", n, sum);
    for (int i = 0; i < n; i += 1000)
        std::printf("read %d length %zu score %d\n", i, jobs[i].read.size(), jobs[i].score);
    return 0;
}
