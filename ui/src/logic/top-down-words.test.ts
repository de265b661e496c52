import { expect, test } from "vitest";
import type { TopDownComparison, TopDownFacts } from "./contract";
import { slotsCounted, topDownAnswer } from "./top-down-words";

const comparison: TopDownComparison = { agreement: "agrees", measured_share: 0.62, confirmed_share: 0.9, expected: [{ part: "core", share: 0.56 }] };

const known = (more: Partial<TopDownFacts> = {}): TopDownFacts => ({
    retiring: 0.184,
    bad_speculation: 0.052,
    front_end: 0.102,
    back_end: 0.662,
    memory: 0.172,
    core: 0.49,
    binds: [{ part: "core", share: 0.49 }],
    perf: "6.8.12",
    asked: "PipelineL1,PipelineL2",
    comparison,
    ...more,
});

const compared = (more: Partial<TopDownComparison>): string => topDownAnswer(known({ comparison: { ...comparison, ...more } }));

test("the origin of the shares is told as in the text", () => {
    expect(slotsCounted(known({ user_only: true, counted_share: 0.2, cores: "cpu_core" }))).toEqual([
        "perf 6.8.12, PipelineL1,PipelineL2",
        "of the cores cpu_core alone",
        "of user code",
        "in 20 % of the time",
    ]);
});

test("the comparison is told as in the text", () => {
    expect(compared({})).toMatch(/^agrees .* 90 % .*back end, core/);
    expect(compared({ agreement: "differs" })).toMatch(/^differs .* 90 % /);
    expect(compared({ agreement: "differs", unexplained: "front-end" })).toContain("the largest loss here, front end,");
    expect(compared({ agreement: "too-little" })).toContain("take 62 %");
    const alone = known();
    delete alone.comparison;
    expect(topDownAnswer(alone)).toContain("no loop has a verdict");
});
