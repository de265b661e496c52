/** No view breaks a rule of accessibility that a machine can check, in either scheme, on a screen and on a phone. */

import { SIZES, expectAccessible } from "./support/accessible";
import { hottest } from "./support/facts";
import { test } from "./support/test";

for (const scheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
        test.describe(`${scheme}, ${size}`, () => {
            test.use({ colorScheme: scheme, viewport });
            for (const name of ["lbm", "compare"] as const) {
                test(`views of ${name}`, async ({ open, page }) => {
                    const { report, go } = await open(name);
                    const [first, second] = hottest(report);
                    const own = [`loop/${first?.id ?? 0}`, `code/${first?.id ?? 0}`];
                    const views = name === "compare" ? ["compare"] : ["summary", "loops", "functions", "tree", "flame", "roofline", ...own, `loop/${second?.id ?? 0}`];
                    for (const view of views) {
                        await go(`#/${view}`);
                        await expectAccessible(page, view);
                    }
                });
            }
        });
    }
}
