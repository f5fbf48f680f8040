"""BenchExec's view of Heddle: how it is called, and what its result line means.

Put it beside BenchExec's own tool-info modules, or name it with --tool-directory.
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    REQUIRED_PATHS = ["bin", "crates", "Cargo.toml", "Cargo.lock", "target"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("heddle", subdir="bin")

    def name(self):
        return "Heddle"

    def project_url(self):
        return ""

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="heddle ")

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "check", "--format", "svcomp"]
        if task.property_file:
            words += ["--prp", task.property_file]
        if isinstance(task.options, dict) and task.options.get("data_model") == "ILP32":
            words += ["--32"]
        if rlimits.cputime:
            words += ["--timeout", str(max(1, int(rlimits.cputime * 0.95)))]
        if rlimits.memory:
            words += ["--memory-limit", str(int(rlimits.memory * 0.9))]
        return words + list(options) + list(task.input_files)

    def determine_result(self, run):
        for line in reversed(run.output):
            line = line.strip()
            if line == "true":
                return result.RESULT_TRUE_PROP
            if line.startswith("false(") and line.endswith(")"):
                return line
            if line == "unknown":
                return result.RESULT_UNKNOWN
        if run.exit_code.value == 2:
            return result.RESULT_ERROR
        return result.RESULT_UNKNOWN
