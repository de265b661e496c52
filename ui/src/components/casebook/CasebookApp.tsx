/** The frame of a casebook: its cases, and the one that the address names. */

import { useEffect, useRef } from "preact/hooks";
import type { CasebookDocument } from "../../logic/contract";
import { distinct } from "../../logic/casebook/cases";
import { caseAddress, parseCasebook, shownCase } from "../../logic/casebook/route";
import { casebookHeading, casebookTitle, measuredOn } from "../../logic/casebook/words";
import { Masthead } from "../frame/Masthead";
import { usePlace } from "../frame/usePlace";
import { useAddress } from "../parts/location";
import { Name } from "../parts/Name";
import { CaseList } from "./CaseList";
import { CasePage } from "./CasePage";

export function CasebookApp({ book }: { book: CasebookDocument }) {
    const route = useAddress(parseCasebook);
    const title = useRef<HTMLHeadingElement>(null);
    const { cases } = book.casebook;
    const record = shownCase(book, route);
    const window = casebookTitle(book, route);
    useEffect(() => {
        document.title = window;
    }, [window]);
    usePlace(record?.case ?? "", title);
    return (
        <>
            <Masthead skip={() => title.current?.focus()}>
                <p class="program">Casebook</p>
                <ul class="run">
                    {distinct(cases.map(measuredOn)).map((where) => (
                        <li key={where}>
                            <Name text={where} longest={100} />
                        </li>
                    ))}
                </ul>
            </Masthead>
            <nav class="views cases" aria-label="Cases">
                <ul>
                    {cases.length > 1 && (
                        <li>
                            <a href={caseAddress()} aria-current={record === undefined && route.name === undefined ? "page" : undefined}>
                                All cases
                            </a>
                        </li>
                    )}
                    {cases.map((each) => (
                        <li key={each.case}>
                            <a href={caseAddress(each.case)} aria-current={each === record ? "page" : undefined}>
                                <Name text={each.case} longest={30} />
                            </a>
                        </li>
                    ))}
                </ul>
            </nav>
            <main id="view" class={record === undefined ? "view-cases" : "view-case"}>
                <h1 ref={title} tabIndex={-1}>
                    {casebookHeading(book, route)}
                </h1>
                {record === undefined ? <CaseList book={book} /> : <CasePage key={record.case} book={book} record={record} index={cases.indexOf(record)} at={route.at} />}
            </main>
            <footer class="colophon">
                loopwright {book.version}, written {book.generated.slice(0, 10)}
            </footer>
        </>
    );
}
