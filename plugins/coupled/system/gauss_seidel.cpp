#include "linear_solver.hpp"

#include "floe/sdk/parallel/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

namespace {

class GaussSeidel final : public LinearSolver {
public:
    void prepare(const PressureSystem& system, Executor&) override
    {
        setupSeconds_ = 0;
        const sdk::parallel::Stopwatch watch(setupSeconds_);
        A_ = system.assembled();
        diagonal_ = system.wholeDiagonal();
        findColours();
    }

    SolveReport solve(const std::vector<double>& b, std::vector<double>& x,
                      const SolveLimits& limits, Executor& executor) override
    {
        SolveReport report;
        report.setupSeconds = setupSeconds_;
        const sdk::parallel::Stopwatch watch(report.solveSeconds);
        const double norm = std::sqrt(dot(b, b, executor));
        if (!(norm > 0)) {
            x.assign(b.size(), norm);
            report.converged = norm == 0;
            return report;
        }
        report.firstResidual = report.residual = residual(b, x, executor) / norm;
        if (!(report.firstResidual <= 1)) {
            report.dropped = true;
            report.residual = 1;
            x.assign(b.size(), 0);
        }
        while (report.residual > limits.tolerance && report.iterations < limits.maxIterations) {
            for (const auto& colour : colours_)
                relax(colour, b, x, executor);
            ++report.iterations;
            report.residual = residual(b, x, executor) / norm;
        }
        report.converged = report.residual <= limits.tolerance;
        return report;
    }

private:
    /// The first colour that no neighbour has, in the order of the unknowns.
    void findColours()
    {
        std::vector<int> of(A_.rows(), -1), taken;
        colours_.clear();
        for (std::uint32_t r = 0; r < A_.rows(); ++r) {
            taken.assign(colours_.size() + 1, 0);
            for (std::uint32_t k = A_.start[r]; k < A_.start[r + 1]; ++k)
                if (const int c = of[A_.column[k]]; c >= 0)
                    taken[static_cast<std::size_t>(c)] = 1;
            const auto c =
                static_cast<std::size_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
            if (c == colours_.size())
                colours_.emplace_back();
            colours_[c].push_back(r);
            of[r] = static_cast<int>(c);
        }
    }

    void relax(const std::vector<std::uint32_t>& unknowns, const std::vector<double>& b,
               std::vector<double>& x, Executor& executor) const
    {
        executor.parallelFor(unknowns.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t r = unknowns[i];
                x[r] += (b[r] - A_.times(r, x.data())) / diagonal_[r];
            }
        });
    }

    double residual(const std::vector<double>& b, const std::vector<double>& x, Executor& executor)
    {
        rest_.resize(b.size());
        executor.parallelFor(b.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = begin; r < end; ++r)
                rest_[r] = b[r] - A_.times(r, x.data());
        });
        return std::sqrt(dot(rest_, rest_, executor));
    }

    SparseRows A_;
    std::vector<double> diagonal_, rest_;
    std::vector<std::vector<std::uint32_t>> colours_;
    double setupSeconds_ = 0;
};

} // namespace

std::unique_ptr<LinearSolver> makeGaussSeidelSolver()
{
    return std::make_unique<GaussSeidel>();
}

} // namespace floe::coupled
