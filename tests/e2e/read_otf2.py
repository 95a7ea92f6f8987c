"""Prints an OTF2 archive as JSON, read by OTF2's own Python module.  Run by Debian's python3, which has it."""
import json
import sys

import otf2

with otf2.reader.open(sys.argv[1]) as trace:
    world = [location for location in trace.definitions.locations]
    ranks = {location: int(location.group.name.split()[1]) for location in world}
    events = []
    for location, event in trace.events:
        entry = {"rank": ranks[location], "ns": event.time, "kind": type(event).__name__}
        if hasattr(event, "region"):
            entry["function"] = event.region.name
        for key in ("msg_tag", "msg_length", "request_id", "size_sent", "size_received", "bytes"):
            if hasattr(event, key):
                entry[key] = getattr(event, key)
        if hasattr(event, "communicator"):
            entry["comm"] = event.communicator.name
            members = event.communicator.group.members
            for key in ("receiver", "sender"):
                if hasattr(event, key):
                    entry["peer"] = ranks[members[getattr(event, key)]]
        if hasattr(event, "collective_op"):
            entry["operation"] = str(event.collective_op).split(".")[-1]
        if event.attributes:
            entry["attributes"] = {
                attribute.name: [value.file, value.line_number] if hasattr(value, "line_number") else str(value)
                for attribute, value in event.attributes.items()}
        events.append(entry)
    json.dump({"events": events, "resolution": trace.timer_resolution,
               "ranks": sorted(ranks.values()), "nodes": sorted({location.group.system_tree_parent.name
                                                                  for location in world})}, sys.stdout)
