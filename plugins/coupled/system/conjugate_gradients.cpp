#include "conjugate_gradients.hpp"
#include "multigrid.hpp"

#include "floe/sdk/parallel/stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::coupled {

namespace {

constexpr std::size_t kGrain = 8192;

class ConjugateGradients final : public LinearSolver {
public:
    explicit ConjugateGradients(std::unique_ptr<Preconditioner> preconditioner)
        : preconditioner_(std::move(preconditioner))
    {}

    void prepare(const PressureSystem& system, Executor& executor) override
    {
        setupSeconds_ = 0;
        const sdk::parallel::Stopwatch watch(setupSeconds_);
        reduced_.make(system, executor);
        preconditioner_->prepare(reduced_, executor);
    }

    SolveReport solve(const std::vector<double>& b, std::vector<double>& x,
                      const SolveLimits& limits, Executor& executor) override
    {
        SolveReport report;
        report.setupSeconds = setupSeconds_;
        const sdk::parallel::Stopwatch watch(report.solveSeconds);
        const double norm = std::sqrt(dot(b, b, executor));
        if (!(norm > 0)) { // A is regular: x is 0. A right side that is not a number ends here too.
            x.assign(b.size(), norm);
            report.converged = norm == 0;
            return report;
        }
        begin(b, x, norm, report, executor);
        const std::size_t count = b.size();
        z_.resize(count);
        q_.resize(count);
        double rz = 0;
        while (report.residual > limits.tolerance && report.iterations < limits.maxIterations) {
            preconditioner_->apply(r_, z_, executor);
            const double next = dot(r_, z_, executor);
            if (report.iterations == 0)
                p_ = z_;
            else
                executor.parallelFor(count, kGrain,
                                     [&, beta = next / rz](std::size_t first, std::size_t last) {
                                         for (std::size_t i = first; i < last; ++i)
                                             p_[i] = z_[i] + beta * p_[i];
                                     });
            rz = next;
            const double curvature = reduced_.multiply(p_, q_, executor);
            if (!(curvature > 0)) // rounding has used up the direction
                break;
            const double squares = sumOver(
                count, executor, [&, alpha = rz / curvature](std::size_t first, std::size_t last) {
                    double sum = 0;
                    for (std::size_t i = first; i < last; ++i) {
                        x[i] += alpha * p_[i];
                        r_[i] -= alpha * q_[i];
                        sum += r_[i] * r_[i];
                    }
                    return sum;
                });
            report.residual = std::sqrt(squares) / norm;
            ++report.iterations;
        }
        reduced_.restore(b, x, executor);
        report.converged = report.residual <= limits.tolerance;
        return report;
    }

private:
    /// Sets the residual r_ of the start. Wall pressures follow from the others, so that those of
    /// the start do not matter.
    void begin(const std::vector<double>& b, std::vector<double>& x, double norm,
               SolveReport& report, Executor& executor)
    {
        r_ = b;
        reduced_.reduce(r_);
        reduced_.clearWalls(x);
        const double whole = std::sqrt(dot(r_, r_, executor));
        report.firstResidual = 1;
        report.residual = whole / norm;
        if (std::all_of(x.begin(), x.end(), [](double p) { return p == 0; }))
            return;
        q_.resize(x.size());
        reduced_.multiply(x, q_, executor);
        const double rest =
            std::sqrt(sumOver(x.size(), executor, [&](std::size_t first, std::size_t last) {
                double sum = 0;
                for (std::size_t i = first; i < last; ++i) {
                    q_[i] = r_[i] - q_[i];
                    sum += q_[i] * q_[i];
                }
                return sum;
            }));
        report.firstResidual = rest / whole;
        if (rest <= whole) {
            std::swap(r_, q_);
            report.residual = rest / norm;
        } else { // or not a number
            report.dropped = true;
            x.assign(x.size(), 0);
        }
    }

    std::unique_ptr<Preconditioner> preconditioner_;
    double setupSeconds_ = 0;
    ReducedSystem reduced_;
    std::vector<double> r_, z_, p_, q_;
};

class Diagonal final : public Preconditioner {
public:
    void prepare(const ReducedSystem& system, Executor&) override { diagonal_ = system.diagonal(); }
    void apply(const std::vector<double>& r, std::vector<double>& z, Executor& executor) override
    {
        executor.parallelFor(r.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                z[i] = r[i] / diagonal_[i];
        });
    }

private:
    std::vector<double> diagonal_;
};

} // namespace

std::unique_ptr<LinearSolver> makeConjugateGradients(std::unique_ptr<Preconditioner> preconditioner)
{
    return std::make_unique<ConjugateGradients>(std::move(preconditioner));
}

std::unique_ptr<LinearSolver> makeDiagonalSolver()
{
    return makeConjugateGradients(std::make_unique<Diagonal>());
}

std::unique_ptr<LinearSolver> makeMultigridSolver()
{
    return makeConjugateGradients(std::make_unique<Multigrid>());
}

} // namespace floe::coupled
