import type { ViewProps } from "../App";

export function LoopPage({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
