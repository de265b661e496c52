import type { Confidence } from "../../logic/contract";

/** How sure a prediction is; `at` is its key in the document. */
export function Sureness({ confidence, at = "confidence" }: { confidence: Confidence; at?: string }) {
    return (
        <span class={`badge ${confidence}`} data-key={at}>
            {confidence} confidence
        </span>
    );
}
