import { useEffect, useState } from "preact/hooks";

/** Whether the page is being printed: what scrolls on a screen must then be laid out as a whole. */
export function usePrinting(): boolean {
    const [printing, setPrinting] = useState(false);
    useEffect(() => {
        const begin = () => setPrinting(true);
        const end = () => setPrinting(false);
        addEventListener("beforeprint", begin);
        addEventListener("afterprint", end);
        return () => {
            removeEventListener("beforeprint", begin);
            removeEventListener("afterprint", end);
        };
    }, []);
    return printing;
}
