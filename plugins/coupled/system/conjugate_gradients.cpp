#include "conjugate_gradients.hpp"
#include "multigrid.hpp"

#include "floe/sdk/parallel/stopwatch.hpp"

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
        system_ = &system;
        preconditioner_->prepare(system, executor);
    }

    SolveReport solve(const std::vector<double>& b, std::vector<double>& x,
                      const SolveLimits& limits, Executor& executor) override
    {
        SolveReport report;
        report.setupSeconds = setupSeconds_;
        const sdk::parallel::Stopwatch watch(report.solveSeconds);
        const std::size_t count = b.size();
        const double norm = std::sqrt(dot(b, b, executor));
        if (!(norm > 0)) { // A is regular: x is 0. A right side that is not a number ends here too.
            x.assign(count, norm);
            report.converged = norm == 0;
            return report;
        }
        r_.resize(count);
        z_.resize(count);
        q_.resize(count);
        system_->multiply(x, r_, executor);
        forAll(count, executor, [&](std::size_t i) { r_[i] = b[i] - r_[i]; });
        report.firstResidual = report.residual = std::sqrt(dot(r_, r_, executor)) / norm;
        if (!(report.firstResidual <= 1)) {
            report.dropped = true;
            report.residual = 1;
            x.assign(count, 0);
            r_ = b;
        }
        double rz = 0;
        while (report.residual > limits.tolerance && report.iterations < limits.maxIterations) {
            preconditioner_->apply(r_, z_, executor);
            const double next = dot(r_, z_, executor);
            if (report.iterations == 0)
                p_ = z_;
            else
                forAll(count, executor,
                       [&, beta = next / rz](std::size_t i) { p_[i] = z_[i] + beta * p_[i]; });
            rz = next;
            system_->multiply(p_, q_, executor);
            const double curvature = dot(p_, q_, executor);
            if (!(curvature > 0)) // rounding has used up the direction
                break;
            forAll(count, executor, [&, alpha = rz / curvature](std::size_t i) {
                x[i] += alpha * p_[i];
                r_[i] -= alpha * q_[i];
            });
            report.residual = std::sqrt(dot(r_, r_, executor)) / norm;
            ++report.iterations;
        }
        report.converged = report.residual <= limits.tolerance;
        return report;
    }

private:
    template <class Body>
    static void forAll(std::size_t count, Executor& executor, const Body& body)
    {
        executor.parallelFor(count, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                body(i);
        });
    }

    std::unique_ptr<Preconditioner> preconditioner_;
    const PressureSystem* system_ = nullptr;
    double setupSeconds_ = 0;
    std::vector<double> r_, z_, p_, q_;
};

class Diagonal final : public Preconditioner {
public:
    void prepare(const PressureSystem& system, Executor&) override
    {
        diagonal_ = system.wholeDiagonal();
    }
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
