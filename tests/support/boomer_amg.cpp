#include "boomer_amg.hpp"

#include "floe/sdk/parallel/stopwatch.hpp"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <cmath>
#include <numeric>

namespace floe::coupled {

namespace {

/// MPI and hypre, from first use to the end of the program.
struct Libraries {
    Libraries()
    {
        int running = 0;
        MPI_Initialized(&running);
        if (!running)
            MPI_Init(nullptr, nullptr);
        HYPRE_Init();
    }
    ~Libraries()
    {
        HYPRE_Finalize();
        MPI_Finalize();
    }
};

class BoomerAmg final : public LinearSolver {
public:
    BoomerAmg() { static const Libraries libraries; }
    ~BoomerAmg() override { clear(); }

    void prepare(const PressureSystem& system, Executor&) override
    {
        clear();
        setupSeconds_ = 0;
        const sdk::parallel::Stopwatch watch(setupSeconds_);
        const SparseRows A = system.assembled();
        last_ = static_cast<HYPRE_BigInt>(A.rows()) - 1;
        indices_.resize(A.rows());
        std::iota(indices_.begin(), indices_.end(), 0);
        std::vector<HYPRE_Int> counts(A.rows());
        for (std::size_t r = 0; r < A.rows(); ++r)
            counts[r] = static_cast<HYPRE_Int>(A.start[r + 1] - A.start[r]);
        const std::vector<HYPRE_BigInt> columns(A.column.begin(), A.column.end());
        HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, last_, 0, last_, &matrix_);
        HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
        HYPRE_IJMatrixInitialize(matrix_);
        HYPRE_IJMatrixSetValues(matrix_, static_cast<HYPRE_Int>(A.rows()), counts.data(),
                                indices_.data(), columns.data(), A.value.data());
        HYPRE_IJMatrixAssemble(matrix_);
        HYPRE_BoomerAMGCreate(&amg_);
        HYPRE_BoomerAMGSetCoarsenType(amg_, 10); // HMIS
        HYPRE_BoomerAMGSetInterpType(amg_, 6);   // extended+i
        HYPRE_BoomerAMGSetPMaxElmts(amg_, 4);
        HYPRE_BoomerAMGSetAggNumLevels(amg_, 1);
        HYPRE_BoomerAMGSetStrongThreshold(amg_, 0.5); // for three dimensions
        HYPRE_BoomerAMGSetRelaxType(amg_, 6);         // symmetric Gauss-Seidel
        HYPRE_BoomerAMGSetTol(amg_, 0);
        HYPRE_BoomerAMGSetMaxIter(amg_, 1);
        HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &pcg_);
        HYPRE_PCGSetTwoNorm(pcg_, 1);
        HYPRE_PCGSetPrecond(pcg_, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                            reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg_);
        // The setup is done here; that of the solve then only binds the vectors.
        const std::vector<double> zero(A.rows());
        HYPRE_IJVector b = vectorOf(zero), x = vectorOf(zero);
        HYPRE_ParCSRPCGSetup(pcg_, matrix(), objectOf(b), objectOf(x));
        HYPRE_IJVectorDestroy(b);
        HYPRE_IJVectorDestroy(x);
        system_ = &system;
    }

    SolveReport solve(const std::vector<double>& b, std::vector<double>& x,
                      const SolveLimits& limits, Executor& executor) override
    {
        SolveReport report;
        report.setupSeconds = setupSeconds_;
        const sdk::parallel::Stopwatch watch(report.solveSeconds);
        HYPRE_IJVector right = vectorOf(b), left = vectorOf(x);
        HYPRE_PCGSetTol(pcg_, limits.tolerance);
        HYPRE_PCGSetMaxIter(pcg_, limits.maxIterations);
        report.firstResidual = residual(b, x, executor);
        HYPRE_ParCSRPCGSolve(pcg_, matrix(), objectOf(right), objectOf(left));
        HYPRE_Int iterations = 0;
        HYPRE_PCGGetNumIterations(pcg_, &iterations);
        report.iterations = iterations;
        HYPRE_IJVectorGetValues(left, static_cast<HYPRE_Int>(x.size()), indices_.data(), x.data());
        HYPRE_IJVectorDestroy(right);
        HYPRE_IJVectorDestroy(left);
        HYPRE_ClearAllErrors(); // a tolerance that was not reached counts as one
        report.residual = residual(b, x, executor);
        report.converged = report.residual <= 1.01 * limits.tolerance;
        return report;
    }

private:
    HYPRE_IJVector vectorOf(const std::vector<double>& values) const
    {
        HYPRE_IJVector vector = nullptr;
        HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, last_, &vector);
        HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(vector);
        HYPRE_IJVectorSetValues(vector, static_cast<HYPRE_Int>(values.size()), indices_.data(),
                                values.data());
        HYPRE_IJVectorAssemble(vector);
        return vector;
    }
    static HYPRE_ParVector objectOf(HYPRE_IJVector vector)
    {
        void* object = nullptr;
        HYPRE_IJVectorGetObject(vector, &object);
        return static_cast<HYPRE_ParVector>(object);
    }
    HYPRE_ParCSRMatrix matrix() const
    {
        void* object = nullptr;
        HYPRE_IJMatrixGetObject(matrix_, &object);
        return static_cast<HYPRE_ParCSRMatrix>(object);
    }
    double residual(const std::vector<double>& b, const std::vector<double>& x,
                    Executor& executor) const
    {
        std::vector<double> rest(x.size());
        system_->multiply(x, rest, executor);
        for (std::size_t i = 0; i < rest.size(); ++i)
            rest[i] = b[i] - rest[i];
        return std::sqrt(dot(rest, rest, executor) / dot(b, b, executor));
    }
    void clear()
    {
        if (!matrix_)
            return;
        HYPRE_ParCSRPCGDestroy(pcg_);
        HYPRE_BoomerAMGDestroy(amg_);
        HYPRE_IJMatrixDestroy(matrix_);
        matrix_ = nullptr;
    }

    const PressureSystem* system_ = nullptr;
    HYPRE_IJMatrix matrix_ = nullptr;
    HYPRE_Solver amg_ = nullptr, pcg_ = nullptr;
    HYPRE_BigInt last_ = 0;
    std::vector<HYPRE_BigInt> indices_;
    double setupSeconds_ = 0;
};

} // namespace

std::unique_ptr<LinearSolver> makeBoomerAmgSolver()
{
    return std::make_unique<BoomerAmg>();
}

} // namespace floe::coupled
