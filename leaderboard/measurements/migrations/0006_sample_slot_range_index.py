"""A window of time is found by a block-range index: samples come in the order of their slots, so it stays some kilobytes
a month, and reading a window does not walk an index that grows with the month.
"""

from django.db import migrations

CREATE = """
create index sample_scheduled_at_ranges on measurements_sample
using brin (scheduled_at timestamptz_minmax_multi_ops) with (pages_per_range = 32, autosummarize = on)
"""


class Migration(migrations.Migration):
    dependencies = [("measurements", "0005_sweep_samples")]
    operations = [migrations.RunSQL(CREATE, "drop index sample_scheduled_at_ranges")]
