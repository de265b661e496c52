import { expect, test } from "vitest";
import type { Analysis, Report } from "./contract";
import { energyFixture } from "./energy.fixture";
import { messagesFixture } from "./messages.fixture";
import { VIEWS, parse } from "./route";
import { reproductionFixture, tuningFixture } from "./searches.fixture";
import { heading, offered, viewTitle } from "./titles";

const report = (analysis: Partial<Analysis>): Report => ({ analysis: { loops: [], ...analysis } }) as unknown as Report;

test("views of what was searched are offered only where it was", () => {
    const always = offered(report({}));
    expect(always).not.toContain("tuning");
    expect(always).not.toContain("reproduce");
    expect(always).not.toContain("energy");
    expect(always).not.toContain("messages");
    expect(offered(report({ comm: messagesFixture }))).toEqual([...always, "messages"]);
    expect(offered(report({ energy: energyFixture }))).toEqual([...always, "energy"]);
    expect(offered(report({ tuning: tuningFixture }))).toEqual([...always, "tuning"]);
    expect(offered(report({ reproduction: reproductionFixture, tuning: tuningFixture, trials: { claimed_from: 1, tried: [] } }))).toEqual([...always, "trials", "tuning", "reproduce"]);
});

test("every view has a title and an address that leads to it", () => {
    for (const view of VIEWS) {
        expect(viewTitle(view)).not.toBe("");
        expect(parse(`#/${view}`).view).toBe(view);
    }
    expect(heading(report({}), parse("#/tuning"))).toBe("Tuning");
    expect(heading(report({}), parse("#/reproduce"))).toBe("Reproduce");
    expect(heading(report({}), parse("#/energy"))).toBe("Energy");
    expect(heading(report({}), parse("#/messages"))).toBe("Messages");
});
