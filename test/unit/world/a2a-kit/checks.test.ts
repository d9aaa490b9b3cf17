import { describe, expect, it } from "vitest";
import { ACCEPTED_CHECKS } from "../../../world/a2a-kit/accepted.ts";
import { readChecks } from "../../../world/a2a-kit/checks.ts";
import { isExpectedSkip } from "../../../world/a2a-kit/skips.ts";

const REPORT = `<testsuites><testsuite><testcase classname="tests.compatibility.core.test_a.TestB" name="test_c[x]" time="0.1" />
<testcase classname="tests.compatibility.core.test_a" name="test_d" time="0.1"><failure message="AssertionError: CARD-CACHE-003 [may &quot;x&quot;]: Last-Modified&#10;assert False">trace</failure></testcase>
<testcase classname="tests.compatibility.core.test_a" name="test_e" time="0.1"><skipped type="pytest.skip" message="Transport 'grpc' not configured">x</skipped></testcase>
<testcase classname="tests.compatibility.core.test_a" name="test_f" time="0.1"><skipped type="pytest.skip" message="send_message failed: no">x</skipped></testcase>
<testcase classname="tests.compatibility.core.test_a" name="test_g" time="0.1"><skipped type="pytest.xfail" message="should">x</skipped></testcase>
</testsuite></testsuites>`;

describe("the report of the A2A kit", () => {
  const checks = readChecks(REPORT);

  it("is read check by check, with the first line of a message", () => {
    expect(checks).toEqual([
      { id: "core.test_a.TestB.test_c[x]", outcome: "passed", message: "" },
      {
        id: "core.test_a.test_d",
        outcome: "failed",
        message: 'AssertionError: CARD-CACHE-003 [may "x"]: Last-Modified',
      },
      { id: "core.test_a.test_e", outcome: "skipped", message: "Transport 'grpc' not configured" },
      { id: "core.test_a.test_f", outcome: "skipped", message: "send_message failed: no" },
      { id: "core.test_a.test_g", outcome: "failed", message: "should" },
    ]);
  });

  it("leaves out only checks with known reasons, not those with a failed preparation", () => {
    expect(checks.filter(isExpectedSkip).map(({ id }) => id)).toEqual(["core.test_a.test_e"]);
  });

  it("has rows for a failure by its requirement and its message", () => {
    const rows = checks.map((check) => ACCEPTED_CHECKS.find((row) => row.matches(check))?.id);
    expect(rows).toEqual([undefined, "CARD-CACHE-003", undefined, undefined, undefined]);
  });
});
