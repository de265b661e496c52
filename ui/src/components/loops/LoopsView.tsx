import type { ViewProps } from "../App";

export function LoopsView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
