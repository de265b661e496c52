/** Whether two builds give the same answer, what is to blame where they do not, and what keeps the answer. */

import type { ReproductionFacts } from "../../logic/contract";
import { NOT_REPRODUCED } from "../../logic/contract/words";
import { sideWords, verdictTone, verdictWords } from "../../logic/reproduction";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { ChangedDigits } from "./ChangedDigits";
import { Conditions } from "./Conditions";
import { Culprits } from "./Culprits";
import { Repairs } from "./Repairs";

export function ReproduceView({ report }: ViewProps) {
    const found = report.analysis.reproduction;
    if (found === undefined) return <Absent><Prose text={NOT_REPRODUCED} /></Absent>;
    return (
        <>
            <Verdict found={found} />
            {found.conditions.length > 0 && <Conditions found={found} />}
            <ChangedDigits found={found} />
            <Culprits report={report} found={found} />
            {(found.repairs ?? []).length > 0 && <Repairs found={found} />}
        </>
    );
}

function Verdict({ found }: { found: ReproductionFacts }) {
    return (
        <Panel title="Two builds" kind="reproduce-verdict">
            <p class={`verdict ${verdictTone(found)}`}>{verdictWords(found)}</p>
            <Facts
                items={[
                    ["First, whose answer counts", <code>{sideWords(found.good)}</code>],
                    ["Second", <code>{sideWords(found.bad)}</code>],
                    ["Compared", ["standard output", ...(found.outputs ?? [])].join(", ")],
                ]}
            />
        </Panel>
    );
}
