"""The sample table itself: partitioned by month, which Django cannot say, so it is said in SQL.

The natural key makes a redelivered message change nothing; it holds `scheduled_at`, as a partitioned key must.
"""

from django.db import migrations

CREATE = """
create table measurements_sample (
    sample_id uuid not null,
    offering_id bigint not null references catalogue_offering (id) deferrable initially deferred,
    scheduled_at timestamp with time zone not null,
    started_at timestamp with time zone not null,
    probe_location varchar(64) not null,
    workload varchar(20) not null,
    workload_version smallint not null,
    connection_kind varchar(4) not null,
    sequence smallint not null,
    concurrency smallint not null,
    methodology_version varchar(12) not null,
    simulated boolean not null,
    outcome varchar(16) not null,
    detail varchar(32) not null,
    fault varchar(10) not null,
    message varchar(300) not null,
    http_status smallint,
    finish_reason varchar(64) not null,
    retry_after_s double precision,
    flags varchar(32)[] not null,
    excluded boolean not null,
    exclusion_reason varchar(20) not null,
    excluded_from varchar(5) not null,
    input_tokens integer,
    cached_input_tokens integer,
    output_tokens integer,
    reasoning_tokens integer,
    reference_tokens integer,
    token_source varchar(9) not null,
    first_chunk_tokens integer,
    chunks integer,
    largest_chunk_share double precision,
    answer_chars integer,
    reasoning_chars integer,
    answer_sha256_16 varchar(16) not null,
    connect_ms double precision,
    dns_ms double precision,
    tcp_ms double precision,
    tls_ms double precision,
    connection_reused boolean not null,
    headers_ms double precision,
    ttft_ms double precision,
    ttfat_ms double precision,
    thinking_ms double precision,
    last_token_ms double precision,
    end_to_end_ms double precision,
    response_time_500_ms double precision,
    output_speed_tps double precision,
    answer_speed_tps double precision,
    inter_token_ms double precision,
    event_gap_p50_ms double precision,
    event_gap_p95_ms double precision,
    client_lag_ms double precision,
    served_model varchar(200) not null,
    served_provider varchar(120) not null,
    server_timing jsonb,
    cost_usd numeric(16, 10),
    recorded_at timestamp with time zone not null default statement_timestamp(),
    primary key (scheduled_at, sample_id),
    constraint one_sample_per_slot_and_sequence
        unique (scheduled_at, offering_id, workload, probe_location, connection_kind, sequence),
    constraint sample_speed_positive check (output_speed_tps > 0),
    constraint sample_ttft_positive check (ttft_ms > 0),
    constraint sample_answer_after_first_token check (ttfat_ms >= ttft_ms),
    constraint sample_excluded_has_reason check (excluded = (exclusion_reason <> ''))
) partition by range (scheduled_at);
create index sample_offering_scheduled_at on measurements_sample (offering_id, scheduled_at);
"""


class Migration(migrations.Migration):
    dependencies = [("measurements", "0001_initial"), ("catalogue", "0001_initial")]
    operations = [migrations.RunSQL(CREATE, "drop table measurements_sample")]
