"""A FastAPI service: MODEL=model uvicorn web_service:app

FastAPI runs the handler in several threads; all share one Translator and its workers.
"""
import os

import dietmt
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

app = FastAPI()
translator = dietmt.Translator(os.environ["MODEL"])


class Request(BaseModel):
    lines: list[str]
    beam: int = 5


@app.post("/translate")
def translate(request: Request) -> list[str]:
    try:
        return [one.text for one in translator.translate(request.lines, beam=request.beam)]
    except (dietmt.UsageError, dietmt.InputError) as error:
        raise HTTPException(422, str(error)) from error
