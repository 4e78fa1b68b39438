// Mesa's software driver frees pipelines at the next submission and forgets those that were
// destroyed after the last one; it is unloaded by then, so that no suppression can name it.
// The validation layer tells of objects that the renderer itself forgets.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options()
{
    return "detect_leaks=0";
}
#endif
