# One image for every program of the board; compose.yaml says which one a container runs.
FROM python:3.11-slim AS build
WORKDIR /app
COPY requirements.lock .
RUN python -m venv /app/.venv \
 && /app/.venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock

FROM python:3.11-slim
RUN useradd --system --create-home --uid 10001 leaderboard && install -d -o leaderboard /data
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY . .
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 LEADERBOARD_DATA_DIR=/data
USER leaderboard
VOLUME /data
EXPOSE 8000
# Alone, the image runs the whole board with its embedded services. Start it with --init: somebody must reap orphans.
CMD ["python", "manage.py", "up", "--host", "0.0.0.0"]
