-- The newest turns of conversational flows, of all their sessions: the list of sessions reads this index alone.
CREATE INDEX flow_states_of_sessions ON flow_states (tenant, flow, seq, flow_id) WHERE substr(flow, -9) = '/sessions';
