import { useEffect, useState } from "preact/hooks";

/** Whether the page is being laid out for paper. */
export function usePrinting(): boolean {
    const [printing, setPrinting] = useState(() => matchMedia("print").matches);
    useEffect(() => {
        const media = matchMedia("print");
        const change = () => setPrinting(media.matches);
        // The media change comes too late in some browsers: what it draws would miss the paper.
        const before = () => setPrinting(true);
        const after = () => setPrinting(false);
        media.addEventListener("change", change);
        addEventListener("beforeprint", before);
        addEventListener("afterprint", after);
        return () => {
            media.removeEventListener("change", change);
            removeEventListener("beforeprint", before);
            removeEventListener("afterprint", after);
        };
    }, []);
    return printing;
}
