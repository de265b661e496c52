/** How often the loop was entered and how long it ran each time. */

import type { TripCount } from "../../logic/contract";
import { counts } from "../../logic/loop-page/commands";
import { cautions, histogram, median, sourceEntries, sourceHow, sourceMean } from "../../logic/loop-page/trip-words";
import { count, mean, share } from "../../logic/quantity";
import { Facts } from "../parts/Facts";
import { ColumnChart } from "./ColumnChart";
import type { PartProps } from "./LoopPage";
import { NotCounted } from "./NotCounted";
import { Section } from "./Section";
import { Maybe, Value } from "./Value";

export function TripCounts({ report, loop }: PartProps) {
    const trips = loop.trip_count;
    if (trips === undefined) {
        return (
            <Section at="trips" loop={loop}>
                <NotCounted report={report} loop={loop} command={counts(report.analysis)} />
            </Section>
        );
    }
    const bins = histogram(trips);
    return (
        <Section at="trips" loop={loop} how="Counted.">
            <Machine trips={trips} />
            <AsWritten trips={trips} />
            {cautions(trips).map((note) => (
                <p key={note} class="caution-note">
                    {note}
                </p>
            ))}
            {bins.length === 1 && <p>Every entry did {bins[0]?.label} machine iterations.</p>}
            {bins.length > 1 && (
                <>
                    <h3>Entries by their number of iterations</h3>
                    <ColumnChart columns={bins} what="Entries by machine iterations" axis="machine iterations" value="Entries" at="trip_count.histogram" />
                </>
            )}
        </Section>
    );
}

function Machine({ trips }: { trips: TripCount }) {
    const about = trips.approximate === true ? "about " : "";
    const middle = median(trips);
    return (
        <>
            <h3>The machine's loop</h3>
            <Facts
                items={[
                    ["Entered", trips.entries !== undefined && <><Value at="trip_count.entries">{count(trips.entries)}</Value> times</>],
                    ["Iterations", <Value key="i" at="trip_count.iterations">{count(trips.iterations)}</Value>],
                    ["Mean", trips.mean !== undefined && <><Value at="trip_count.mean">{mean(trips.mean)}</Value> an entry</>],
                    ["Median", middle !== undefined && <Value at={trips.median === undefined ? "trip_count.median_bounds" : "trip_count.median"}>{middle}</Value>],
                    ["Least to most", trips.min !== undefined && trips.max !== undefined && <>{about}<Value at="trip_count.min">{count(trips.min)}</Value> to <Value at="trip_count.max">{count(trips.max)}</Value></>],
                ]}
            />
        </>
    );
}

function AsWritten({ trips }: { trips: TripCount }) {
    const entries = sourceEntries(trips);
    const middle = sourceMean(trips);
    const how = sourceHow(trips);
    return (
        <>
            <h3>The loop as written</h3>
            <Facts
                items={[
                    ["Entered", entries !== undefined && <><Value at={trips.source_entries === undefined ? "trip_count.source_entries_bounds" : "trip_count.source_entries"}>{entries}</Value> times</>],
                    ["Iterations", trips.group_iterations !== undefined && <><Value at="trip_count.group_iterations">{count(trips.group_iterations)}</Value> in all, <Maybe at="trip_count.source_iterations" of={trips.source_iterations} as={count} /> in this piece</>],
                    ["In straight code", trips.straight_iterations !== undefined && <Value key="straight" at="trip_count.straight_iterations">{count(trips.straight_iterations)}</Value>],
                    ["Mean", middle !== undefined && <><Value at={trips.source_mean === undefined ? "trip_count.source_mean_bounds" : "trip_count.source_mean"}>{middle}</Value> an entry</>],
                    ["In one machine iteration", trips.source_factor !== undefined && <Value key="factor" at="trip_count.source_factor">{count(trips.source_factor)}</Value>],
                    ["This piece does", trips.source_share !== undefined && trips.source_share < 1 && <><Maybe at="trip_count.source_share" of={trips.source_share} as={share} /> of them</>],
                ]}
            />
            {how !== undefined && <p class="dim">{how}</p>}
        </>
    );
}
